import { parse } from 'yaml'
import type { StartAnswers } from '../../contracts/first-start.ts'

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
