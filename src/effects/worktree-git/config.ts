import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/git.ts'

/**
 * The repository's own settings of git as text, with what it includes and without credentials: filters, drivers, remotes
 * and branches stay, since the programs that they name run inside.
 */
export const configOf = async (root: string, common: string): Promise<string> => {
  const file = join(common, 'config')
  if (!existsSync(file)) return ''
  const listed = await git(root, ['config', '--file', file, '--includes', '--list', '-z'])
  const entries = listed.split('\0').flatMap((entry): (readonly [string, string | null])[] => {
    if (entry === '') return []
    const end = entry.indexOf('\n')
    return [end === -1 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)]]
  })
  return entries
    .filter(([key]) => isLent(key))
    .map(([key, value]) => lineOf(key, value === null ? null : withoutPassword(value)))
    .join('')
}

/** Settings of access stay outside, and those that name other files of settings are followed already. */
const isLent = (key: string): boolean =>
  !/^(?:credential|http|include|includeif|imap|sendemail)\./i.test(key) &&
  !/(?:token|password|passwd|secret|extraheader|apikey)$/i.test(key) &&
  !ADDRESS.test(key) &&
  key.toLowerCase() !== 'extensions.refstorage'

/** An address with a password. */
const ADDRESS = /([a-z][a-z0-9+.-]*:\/\/)[^/@\s]*:[^/@\s]*@/i

const withoutPassword = (value: string): string => value.replace(new RegExp(ADDRESS, 'gi'), '$1')

/** A section for each setting: git reads it as one that has many. */
const lineOf = (key: string, value: string | null): string => {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  const section = key.slice(0, first)
  const head = first === last ? section : `${section} "${key.slice(first + 1, last).replace(/["\\]/g, '\\$&')}"`
  const name = key.slice(last + 1)
  return `[${head}]\n\t${name}${value === null ? '' : ` = ${quoted(value)}`}\n`
}

const quoted = (value: string): string =>
  `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
