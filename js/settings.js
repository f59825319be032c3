// What install() has been told.

export const settings = {
  documentPolicy: true, // false: the constructor throws, as without the header (row 16)
  intervalFloor: 1, // ms
  positions: true, // scripts without a function table are read when a trace needs one
  hidden: [], // URLs of scripts of ours that may be on a stack
};
