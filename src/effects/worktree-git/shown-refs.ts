import { join } from 'node:path'
import { readRegular } from '../files/regular-file.ts'
import { replaceFile } from '../files/replace-file.ts'
import { askGit } from '../git/git.ts'
import { administrationOf, branchIn, isMade, type Opened } from './folder.ts'
import { visibleRefs } from './visible-refs.ts'

/** Shows inside where the other branches are now. A ref that only the worktree's git has stays as it is. */
export const showRefs = async ({ own, inside }: Opened): Promise<void> => {
  if (!isMade(own)) return
  const note = join(own.notes, 'refs')
  const { text, stamp } = await visibleRefs(own.root, own.common)
  const [before = '', ...lines] = (readRegular(note) ?? '').split('\n')
  if (before === stamp) return
  const shown = new Set(lines)
  const branch = branchIn(administrationOf(own))
  const changed = text.split('\n').filter((line) => line !== '' && !shown.has(line) && nameIn(line) !== branch)
  const present = new Set(text.split('\n').map(nameIn))
  const gone = lines.map(nameIn).filter((name) => name !== '' && name !== branch && !present.has(name))
  const input = [
    ...changed.map((line) => `update ${nameIn(line)} ${line.slice(0, line.indexOf(' '))}\n`),
    ...gone.map((name) => `delete ${name}\n`),
  ].join('')
  // The program may hold a lock, or have a ref in the way: then it sees an older commit.
  if (input !== '')
    await askGit(own.worktree, ['update-ref', '--no-deref', '--stdin'], { inside, input, answers: [1, 128] })
  replaceFile(note, `${stamp}\n${text}`)
}

const nameIn = (line: string): string => line.slice(line.indexOf(' ') + 1)
