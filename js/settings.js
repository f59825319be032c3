// What install() has been told.

export const settings = {
  documentPolicy: true, // false: the constructor throws, as without the header (row 16)
  intervalFloor: 1, // ms
};
