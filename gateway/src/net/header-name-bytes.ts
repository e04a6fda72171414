/** The bytes that the name of a header may have: 2 for a letter in upper case, 1 for all others. */
export const headerNameBytes = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
  headerNameBytes[character.charCodeAt(0)] = 1;
for (let code = 65; code <= 90; code++) headerNameBytes[code] = 2;
