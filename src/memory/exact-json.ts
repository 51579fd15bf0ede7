// Unknown fields are kept when a file is written again, so numbers that JavaScript cannot represent must stay as
// written.

interface ExactJson {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown,
  ) => unknown
  readonly rawJSON: (text: string) => object
  readonly isRawJSON: (value: unknown) => boolean
}

// Available from Node 21 on, but not in TypeScript's types yet.
const json = JSON as unknown as ExactJson

/**
 * A value that `JSON.parse` read, in which integers that it rounded and numbers that overflowed are replaced by values
 * that `JSON.stringify` writes unchanged. The text must not be deeply nested.
 */
export const withExactNumbers = (value: unknown, text: string): unknown =>
  /\d{16}|\d[eE]/.test(text)
    ? json.parse(text, (_, one, { source }) => (isLost(one) ? json.rawJSON(source) : one))
    : value

/** True for such a number. */
export const isExactNumber = (value: unknown): boolean => json.isRawJSON(value)

const isLost = (value: unknown): boolean =>
  typeof value === 'number' && (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
