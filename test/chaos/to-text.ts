/** Whole, with its maps: JSON leaves out what is in them. */
export const toText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (item instanceof Map ? [...item] : item))
