/** JSON of a column; null where there is none. */
export const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))
