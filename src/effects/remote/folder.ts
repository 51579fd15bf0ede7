import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Protocol } from '../../domain/host/remote.ts'
import { askGit, git } from '../git/git.ts'

/** How long SSH may take to connect (s). */
const CONNECT = 15

/** The most commits that are named to the remote, so that it sends only what is new. */
const HAVES = 500

/** Writes the folder: a repository without refs of its own, whose configuration is ours. */
export const prepareFolder = async (
  folder: string,
  root: string,
  protocol: Protocol,
  haves: boolean,
): Promise<void> => {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name))
  const format = (await git(root, ['rev-parse', '--show-object-format'])).trim()
  const extension =
    format === 'sha1'
      ? '[core]\n\trepositoryformatversion = 0\n'
      : `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = ${format}\n`
  writeFileSync(join(folder, 'config'), `${extension}[core]\n\tbare = true\n`)
  writeFileSync(join(folder, 'person'), await personal(root, protocol))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  if (haves) writeFileSync(join(folder, 'packed-refs'), await havesOf(root))
}

/** How the person's own configuration, that of no repository, logs in and connects. */
const personal = async (root: string, protocol: Protocol): Promise<string> => {
  const { stdout } = await askGit(root, ['config', '--list', '--show-scope', '-z'], { answers: [1] })
  const fields = stdout.split('\0')
  // No other protocol, not even after a redirection; and nothing damaged or forged is taken in.
  const lines = [
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['transfer.fsckobjects', 'true'],
  ].map(([key, value]) => lineOf(key!, value!))
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry] = [fields[at]!, fields[at + 1]!]
    if ((scope !== 'global' && scope !== 'system') || !/^(?:credential|http|fetch\.fsck|safe)\./.test(entry)) continue
    const [key = '', ...value] = entry.split('\n')
    lines.push(lineOf(key, value.length === 0 ? 'true' : value.join('\n')))
  }
  if (protocol === 'ssh') lines.push(lineOf('core.sshcommand', `ssh -o BatchMode=yes -o ConnectTimeout=${CONNECT}`))
  return lines.join('')
}

const lineOf = (key: string, value: string): string => {
  const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  const sub = key.slice(section.length + 1, -name.length - 1)
  const header = sub === '' ? `[${section}]` : `[${section} "${sub.replace(/["\\]/g, '\\$&')}"]`
  return `${header}\n\t${name} = "${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`
}

const havesOf = async (root: string): Promise<string> => {
  const { stdout } = await askGit(
    root,
    [
      'for-each-ref',
      '--format=%(objectname)',
      '--sort=-committerdate',
      `--count=${HAVES}`,
      ...['refs/heads', 'refs/remotes', 'refs/aiswarm/remote', 'refs/aiswarm/work'],
    ],
    { answers: [128] },
  )
  return [...new Set(stdout.split('\n').filter(Boolean))].map((oid, n) => `${oid} refs/have/${n}\n`).join('')
}
