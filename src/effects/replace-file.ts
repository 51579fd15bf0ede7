import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file whole: readers see the old one or the new one, never half of it. */
export const replaceFile = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.new`
  try {
    writeFileSync(draft, text)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
