import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { StartAnswers } from '../../contracts/first-start.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { aiswarmFolder, binFolder, configPath, personasFolder, runFolder } from '../files/paths.ts'
import { findTarget } from '../git/repository.ts'

/** Git ignores everything except the configuration and the personas. */
const ignored = `# Written by aiswarm. The configuration and the personas can be committed; the rest belongs to this checkout.
/.gitignore
/coordination.db*
/logs/
/run/
/trash/
/bin/
/git/
/console.json*
/reports/
/store.yaml
`

/** Creates `.aiswarm` with the files that must exist before a database. Refuses if it is not writable. */
export const ensureFolder = (root: string): void => {
  const folder = aiswarmFolder(root)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    keepPrivate(folder)
    accessSync(folder, constants.W_OK)
    if (!writeNew(join(folder, '.gitignore'), ignored)) addLater(join(folder, '.gitignore'))
  } catch (error) {
    throw new Refusal(
      'not_writable',
      `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); check the permissions of the repository.`,
      { cause: error },
    )
  }
  refuseLinks(root)
}

/**
 * A link that came with a branch, or that an agent has made, would lead tokens, sockets and the agents' own `aiswarm` into a
 * folder of its choice.
 */
const refuseLinks = (root: string): void => {
  for (const path of [runFolder(root), binFolder(root)])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Refusal(
        'not_writable',
        `${path} is a symbolic link to ${readlinkSync(path)}. aiswarm keeps the tokens and sockets of its agents there, so it must be a folder of this checkout. Remove the link; aiswarm makes the folder again.`,
      )
}

/**
 * The database, logs and run files are readable for their owner only, even if an older aiswarm has created the folder.
 */
const keepPrivate = (folder: string): void => {
  const { mode, uid } = statSync(folder)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(folder, 0o700)
}

/** `aiswarm init`: creates the configuration and the persona folder if they are missing, from the
 * answers of a person if there are any. Returns the paths created. */
export const initialise = async (root: string, answers?: StartAnswers): Promise<readonly string[]> => {
  const made: string[] = []
  if (!existsSync(aiswarmFolder(root))) made.push(aiswarmFolder(root))
  ensureFolder(root)
  if (!existsSync(configPath(root))) {
    const chosen = answers ?? { target: await findTarget(root), verify: '', setup: '', agent: null }
    if (writeNew(configPath(root), configurationText(chosen))) made.push(configPath(root))
  }
  if (!existsSync(personasFolder(root))) {
    mkdirSync(personasFolder(root))
    made.push(personasFolder(root))
  }
  return made
}

/**
 * Adds new lines to a file that an older version wrote; a person's own file and contradicting lines stay as they are.
 */
const addLater = (path: string): void => {
  const text = readFileSync(path, 'utf8')
  if (!text.startsWith('# Written by aiswarm.')) return
  const missing = [
    ...(/^!?\/console\.json/m.test(text) ? [] : ['/console.json*']),
    ...(/^!?\/reports/m.test(text) ? [] : ['/reports/']),
    ...(/^!?\/store\.yaml/m.test(text) ? [] : ['/store.yaml']),
    ...(/^!?\/git\//m.test(text) ? [] : ['/git/']),
  ]
  if (missing.length > 0) appendFileSync(path, `${text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
}

const writeNew = (path: string, content: string): boolean => {
  if (existsSync(path)) return false
  writeFileSync(path, content)
  return true
}

/** The first `.aiswarm/config.yaml`: the answers as keys, the other keys as comments with their defaults. */
export const configurationText = ({ target, verify, setup, agent }: StartAnswers): string =>
  `# aiswarm's configuration. Every key is optional; the values shown are the defaults.
# session:
#   maxParallel: 3          # agents that run at the same time
#   maxRetries: 2           # after 30 s, then 60 s
${
  agent === null
    ? `# agents:
#   default: mine           # kind of agent for tasks without a command of their own
`
    : `agents:
  ${key('default', agent)} # kind of agent for tasks without a command of their own
`
}#   kinds:
#     mine: {command: [my-agent, "{prompt}"], prompt: argv}
worktrees:
  perTask: true           # a task that names no worktree gets its own (default: it works in the main checkout)
${
  setup === ''
    ? `#   setup: ""               # a shell command that prepares a new worktree, such as npm ci
`
    : `  ${key('setup', setup)} # prepares a new worktree
`
}#   writers: 1              # agents that may write in one worktree at a time
#   path: "../{name}"
integration:
  ${key('target', target)} # the branch that approved work is merged into
${
  verify === ''
    ? `#   verify: ""              # a shell command that a merge must pass, such as npm test
`
    : `  ${key('verify', verify)} # a merge must pass it; only the value committed on the target branch counts
`
}#   approval: human         # or auto; only the value committed on the target branch counts
`

/** The comments begin in one column if the values leave it free. */
const key = (name: string, value: string): string =>
  `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`.padEnd(23)

/** True if YAML reads the text as the same string without quotes. */
const isPlain = (value: string): boolean => {
  if (!/^[a-z][\w./ -]*$/i.test(value) || value !== value.trim()) return false
  try {
    return (parse(value) as unknown) === value
  } catch {
    return false
  }
}
