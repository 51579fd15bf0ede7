// What we do not know is kept when a file is written again, so numbers that JavaScript cannot hold stay as they were written.

interface ExactJson {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown) => unknown
  readonly rawJSON: (text: string) => object
  readonly isRawJSON: (value: unknown) => boolean
}

// Of Node 21 on; TypeScript does not know them yet.
const json = JSON as unknown as ExactJson

/**
 * What `JSON.parse` read from a text, but a whole number that it rounded, or one beyond all bounds, is a value that
 * `JSON.stringify` writes as it stood. The text must not be deeply nested.
 */
export const withExactNumbers = (value: unknown, text: string): unknown =>
  /\d{16}|\d[eE]/.test(text) ? json.parse(text, (_, one, { source }) => (isLost(one) ? json.rawJSON(source) : one)) : value

/** True of such a number. */
export const isExactNumber = (value: unknown): boolean => json.isRawJSON(value)

const isLost = (value: unknown): boolean => typeof value === 'number' && (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
