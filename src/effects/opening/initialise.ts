import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { aiswarmFolder, configPath, personasFolder } from '../files/places.ts'
import { findTarget } from '../git/target-branch.ts'

/** Git ignores everything except the configuration and the personas. */
const ignored = `# Written by aiswarm. The configuration and the personas can be committed; the rest belongs to this checkout.
/.gitignore
/coordination.db*
/logs/
/run/
/trash/
/bin/
/console.json*
/reports/
`

const configuration = (
  target: string,
): string => `# aiswarm's configuration. Every key is optional; the values shown are the defaults.
# session:
#   maxParallel: 3          # agents that run at the same time
#   maxRetries: 2           # after 30 s, then 60 s
# agents:
#   default: mine           # kind of agent for tasks without a command of their own
#   kinds:
#     mine: {command: [my-agent, "{prompt}"], prompt: argv}
worktrees:
  perTask: true           # a task that names no worktree gets its own (default: it works in the main checkout)
#   writers: 1              # agents that may write in one worktree at a time
#   path: "../{name}"
#   setup: ""               # a shell command that prepares a new worktree, such as npm ci
integration:
  target: ${isPlain(target) ? target : JSON.stringify(target)}                # the branch that approved work is merged into
#   verify: ""              # a shell command that a merge must pass, such as npm test
#   approval: human         # or auto; only the value committed on the target branch counts
`

/** True for a name that YAML reads as the same string without quotes. */
const isPlain = (name: string): boolean =>
  /^[a-z][\w./-]*$/i.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name)

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
}

/**
 * The database, logs and run files are readable for their owner only, even if an older aiswarm has created the folder.
 */
const keepPrivate = (folder: string): void => {
  const { mode, uid } = statSync(folder)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(folder, 0o700)
}

/** `aiswarm init`: creates the configuration and the persona folder if they are missing. Returns the paths created. */
export const initialise = async (root: string): Promise<readonly string[]> => {
  const made: string[] = []
  if (!existsSync(aiswarmFolder(root))) made.push(aiswarmFolder(root))
  ensureFolder(root)
  if (!existsSync(configPath(root)) && writeNew(configPath(root), configuration(await findTarget(root))))
    made.push(configPath(root))
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
  ]
  if (missing.length > 0) appendFileSync(path, `${text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
}

const writeNew = (path: string, content: string): boolean => {
  if (existsSync(path)) return false
  writeFileSync(path, content)
  return true
}
