import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { notWritable } from './file-errors.ts'
import { entryAt } from './folders.ts'

/** The path of a file's draft before it is renamed. */
export const draftPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)

/** Writes a new file durably under a draft name beside it, and returns the draft's path. */
export const writeDraft = (path: string, text: string): string => {
  const draft = draftPath(path)
  try {
    const file = openSync(draft, 'wx', 0o644)
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(draft, { force: true })
    throw notWritable(path, error)
  }
  return draft
}

/** Deletes drafts in a folder that were last written before an instant (ms), whose writers were killed. */
export const removeLostDrafts = (folder: string, before: number): void => {
  for (const name of readdirSync(folder)) {
    if (!/^\..+\.[0-9a-f]{12}\.tmp$/.test(name)) continue
    const draft = join(folder, name)
    const stat = entryAt(draft)
    if (stat?.isFile() && stat.mtimeMs < before) rmSync(draft, { force: true })
  }
}
