import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeDraft } from '../memory/files.ts'

/** Writes a file whole: readers see the old one or the new one, never half of it. */
export const replaceFile = (path: string, text: string): void => replace(path, text, () => {})

/** As `replaceFile`, for a file that is a person's own: it keeps its mode, and a link leads where it led. */
export const replaceKept = (path: string, text: string): void => {
  if (!existsSync(path)) return replaceFile(path, text)
  const target = realpathSync(path)
  replace(target, text, (draft) => chmodSync(draft, statSync(target).mode & 0o7777))
}

const replace = (path: string, text: string, ready: (draft: string) => void): void => {
  // Its name cannot be guessed, and it is made anew: a link that an agent laid there leads nowhere.
  const draft = writeDraft(path, text)
  try {
    ready(draft)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
