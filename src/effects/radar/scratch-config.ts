import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/git.ts'

export const copyConfiguration = async (root: string, common: string, folder: string): Promise<void> => {
  writeFileSync(join(folder, 'config'), configOf(await git(root, ['config', '--list', '--includes', '-z'])))
  const exclude = join(common, 'info', 'exclude')
  if (existsSync(exclude)) copyFileSync(exclude, join(folder, 'info', 'exclude'))
}

/**
 * The settings that decide how files are read and merged and that start no program. All other settings are left out.
 */
const taken =
  /^(core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|excludesfile|trustctime|checkstat)|merge\.(renames|renamelimit|directoryrenames)|diff\.(renames|renamelimit)|extensions\.objectformat)$/

const configOf = (listed: string): string => {
  const values = new Map(
    listed.split('\0').flatMap((entry): [string, string][] => {
      const at = entry.indexOf('\n')
      const [key, value] = at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
      return taken.test(key) ? [[key, value]] : []
    }),
  )
  const lines = [...values].map(
    ([key, value]) =>
      `[${key.split('.')[0]}]\n\t${key.split('.')[1]} = "${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"\n`,
  )
  // With `sparseCheckout` git sees files that exist although a sparse checkout leaves them out.
  return `[core]\n\trepositoryformatversion = ${values.has('extensions.objectformat') ? 1 : 0}\n\tattributesFile = /dev/null\n\tsafecrlf = false\n\tsparseCheckout = true\n${lines.join('')}`
}
