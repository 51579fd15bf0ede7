import { lstatSync, readdirSync } from 'node:fs'
import { git } from '../git/git.ts'

/**
 * Paths in a checkout where the second commit adds files and the first has none. Git keeps untracked files but treats
 * ignored ones, such as a person's `.env`, as expendable; aiswarm keeps both.
 */
export const overwrittenBy = async (folder: string, from: string, to: string): Promise<readonly string[]> => {
  const fields = (
    await git(folder, ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--diff-filter=AD', from, to], {
      bytes: true,
    })
  ).split('\0')
  const [added, deleted] = [new Set<string>(), new Set<string>()]
  for (let at = 0; at + 1 < fields.length; at += 2) (fields[at] === 'A' ? added : deleted).add(fields[at + 1]!)
  const found = new Set<string>()
  for (const path of added)
    for (const standing of standingAt(folder, path)) if (!deleted.has(standing)) found.add(standing)
  return [...found].map((path) => Buffer.from(path, 'latin1').toString('utf8'))
}

/**
 * The existing paths: the file itself, the files of a folder in its place, or a file in place of one of its parent
 * folders.
 */
const standingAt = (folder: string, path: string): readonly string[] => {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const stat = statOf(folder, path.slice(0, end))
    if (stat === undefined) return []
    if (!stat.isDirectory()) return [path.slice(0, end)]
  }
  const stat = statOf(folder, path)
  if (stat === undefined) return []
  return stat.isDirectory() ? filesBelow(folder, path) : [path]
}

const filesBelow = (folder: string, path: string): readonly string[] =>
  readdirSync(fileOf(folder, path), { withFileTypes: true, encoding: 'latin1' }).flatMap((entry) => {
    const inner = `${path}/${entry.name}`
    return entry.isDirectory() ? filesBelow(folder, inner) : [inner]
  })

const statOf = (folder: string, path: string) => lstatSync(fileOf(folder, path), { throwIfNoEntry: false })

const fileOf = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])
