import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeDraft } from '../../memory/file-system.ts'

/** Writes a file atomically: readers see the old one or the new one, never a part. */
export const replaceFile = (path: string, text: string): void => replace(path, text, () => {})

/** As `replaceFile`, for a person's own file: keeps its mode, and writes through a link to its target. */
export const replaceKept = (path: string, text: string): void => {
  if (!existsSync(path)) return replaceFile(path, text)
  const target = realpathSync(path)
  replace(target, text, (draft) => chmodSync(draft, statSync(target).mode & 0o7777))
}

const replace = (path: string, text: string, ready: (draft: string) => void): void => {
  // The draft has a random name and must not exist, so that a link that an agent created cannot redirect the write.
  const draft = writeDraft(path, text)
  try {
    ready(draft)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
