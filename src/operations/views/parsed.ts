/** Parses the JSON of a column; null if there is none. */
export const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))
