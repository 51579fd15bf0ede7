/** JSON kept as text: parsed where it is shown, never inside a statement. */
export type Json = string
