export interface Diagnosis {
  readonly name: string
  /** Null for something that is missing but optional. */
  readonly ok: boolean | null
  readonly detail: string
  /** For an agent CLI: the program and version found, and the versions that aiswarm was tested with. */
  readonly program?: {
    readonly path: string | null
    readonly version: string | null
    readonly verified: readonly string[]
  }
}
