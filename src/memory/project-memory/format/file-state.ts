import { z } from 'zod'
import type { Instant } from '../../../domain/words/time.ts'
import { checkShape, type JsonObject, parseJsonObject } from './json-text.ts'

/** The changes of one file in the session. */
export interface FileChange extends JsonObject {
  readonly added: number
  readonly removed: number
  readonly modified_at: string
}

/** `file-state.json`, with all other keys it has. */
export interface FileState extends JsonObject {
  readonly session: string
  readonly files: Readonly<Record<string, FileChange>>
}

const lines = z.int().min(0)
const change = z.looseObject({ added: lines, removed: lines, modified_at: z.string() })
const shape = z.looseObject({ session: z.string(), files: z.record(z.string(), change) })

export const parseFileState = (text: string, file: string): FileState => {
  const value = parseJsonObject(text, file)
  checkShape(shape, value, text, file)
  return value as unknown as FileState
}

export const renderFileState = (state: FileState): string => `${JSON.stringify(state, null, 2)}\n`

export const emptyFileState = (session: string): FileState => ({ session, files: {} })

/** The state with one more change of a file, added to its earlier changes. */
export const withChange = (
  state: FileState,
  path: string,
  { added, removed }: { readonly added: number; readonly removed: number },
  at: Instant,
): FileState => {
  const known = Object.hasOwn(state.files, path) ? state.files[path] : undefined
  return {
    ...state,
    files: {
      ...state.files,
      [path]: {
        ...known,
        added: (known?.added ?? 0) + added,
        removed: (known?.removed ?? 0) + removed,
        modified_at: at,
      },
    },
  }
}

/** `audit.ts (+319), db.ts (+465)`; removed lines are shown if there are any. */
export const changesLine = ({ files }: FileState): string =>
  Object.entries(files)
    .map(([path, { added, removed }]) => `${path} (+${added}${removed === 0 ? '' : `, -${removed}`})`)
    .join(', ')
