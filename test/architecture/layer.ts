import type { FolderTable } from './folders.ts'

/** The rules inside one layer, and the exceptions from them. */
export interface LayerRules {
  /** Absent until the layer's folders form a line. */
  readonly folders?: FolderTable
  /** `path name` of functions above sixty lines that have no reason in their first line, with the reason why they are left for now. */
  readonly longFunctions?: Readonly<Record<string, string>>
}
