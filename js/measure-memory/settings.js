// What install() has been told.

export const settings = {
  workerTimeout: 3000, // ms without a sign of life, after which a worker counts 0 bytes
};
