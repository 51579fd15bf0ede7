import { accessSync, appendFileSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../domain/refusal.ts'
import { aiswarmFolder, configPath, personasFolder } from './places.ts'
import { findTarget } from './target-branch.ts'

/** What git must not see: everything but the configuration and the personas. */
const ignored = `# Written by aiswarm. The configuration and the personas can be committed; the rest belongs to this checkout.
/.gitignore
/coordination.db*
/logs/
/run/
/trash/
/bin/
/console.json*
`

const configuration = (target: string): string => `# aiswarm's configuration. Every key is optional; what is shown is the default.
# session:
#   maxParallel: 3          # agents that run at a time
#   maxRetries: 2           # after 30 s, then 60 s
# agents:
#   default: mine           # kind of agent for tasks without a command of their own
#   kinds:
#     mine: {command: [my-agent, "{prompt}"], prompt: argv}
worktrees:
  perTask: true           # a task that names no worktree gets its own one (default: it works in the main checkout)
#   writers: 1              # agents that may write in one worktree at a time
#   path: "../{name}"
#   setup: ""               # a shell command that readies a new worktree, such as npm ci
integration:
  target: ${isPlain(target) ? target : JSON.stringify(target)}                # the branch that approved work is merged into
#   verify: ""              # a shell command that a merge must pass, such as npm test
#   approval: human         # or auto; counts only as committed on the target branch
`

/** A name that YAML reads as it is. */
const isPlain = (name: string): boolean => /^[a-z][\w./-]*$/i.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name)

/** Makes `.aiswarm` with what must lie in it before a database can. Refuses where it cannot be written. */
export const ensureFolder = (root: string): void => {
  const folder = aiswarmFolder(root)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    keepPrivate(folder)
    accessSync(folder, constants.W_OK)
    if (!writeNew(join(folder, '.gitignore'), ignored)) addLater(join(folder, '.gitignore'))
  } catch (error) {
    throw new Refusal('not_writable', `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}); check the permissions of the repository.`, { cause: error })
  }
}

/** The database, logs and run files are for their owner alone, also where an older aiswarm has made the folder. */
const keepPrivate = (folder: string): void => {
  const { mode, uid } = statSync(folder)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(folder, 0o700)
}

/** `aiswarm init`: configuration and persona folder where they are missing. Gives the paths that it made. */
export const initialise = async (root: string): Promise<readonly string[]> => {
  const made: string[] = []
  if (!existsSync(aiswarmFolder(root))) made.push(aiswarmFolder(root))
  ensureFolder(root)
  if (!existsSync(configPath(root)) && writeNew(configPath(root), configuration(await findTarget(root)))) made.push(configPath(root))
  if (!existsSync(personasFolder(root))) {
    mkdirSync(personasFolder(root))
    made.push(personasFolder(root))
  }
  return made
}

/** A file that an older version wrote gets what has been added since; a person's own file is left alone, and so is a line that says otherwise. */
const addLater = (path: string): void => {
  const text = readFileSync(path, 'utf8')
  if (!text.startsWith('# Written by aiswarm.') || /^!?\/console\.json/m.test(text)) return
  appendFileSync(path, `${text.endsWith('\n') ? '' : '\n'}/console.json*\n`)
}

const writeNew = (path: string, content: string): boolean => {
  if (existsSync(path)) return false
  writeFileSync(path, content)
  return true
}
