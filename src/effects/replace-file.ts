import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** Writes a file whole: readers see the old one or the new one, never half of it. */
export const replaceFile = (path: string, text: string): void => replace(path, text, () => {})

/** As `replaceFile`, for a file that is a person's own: it keeps its mode, and a link leads where it led. */
export const replaceKept = (path: string, text: string): void => {
  if (!existsSync(path)) return replaceFile(path, text)
  const target = realpathSync(path)
  replace(target, text, (draft) => chmodSync(draft, statSync(target).mode & 0o7777))
}

const replace = (path: string, text: string, ready: (draft: string) => void): void => {
  const draft = `${path}.${process.pid}.new`
  try {
    writeFileSync(draft, text)
    ready(draft)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
