/** Commands that the doorway carries out for a program inside, by their first words. All others act on files that the program could not reach itself. */
const open: readonly string[] = [
  ...['mcp', 'status', 'cost', 'names', 'target show', 'checkout show', 'doctor'],
  ...['agent spawn', 'agent list', 'agent show', 'agent logs', 'agent status', 'agent say', 'agent messages'],
  ...['agent stop-turn', 'agent register', 'agent heartbeat', 'agent deregister', 'agent terminate'],
  ...['task add', 'task list', 'task show', 'task tree', 'task logs', 'task retry', 'task cancel', 'task edit'],
  ...['task history', 'task claim', 'task start', 'task progress', 'task complete', 'task fail', 'task budget'],
  ...['worktree create', 'worktree list', 'worktree show', 'worktree diff', 'worktree radar', 'worktree request'],
  ...['request list', 'session list', 'session show', 'persona list', 'persona show'],
  ...['memory list', 'memory read', 'memory show', 'memory observation', 'memory decision', 'memory blocker'],
  ...['memory keyfact', 'memory resolve-blocker', 'memory plan', 'memory step', 'memory complete', 'memory timeline'],
  ...['memory log', 'memory handoff', 'memory query', 'memory adr list', 'memory adr show', 'memory adr graph'],
  ...['memory conversations search', 'memory executions search', 'memory delete', 'memory edit'],
]

/** Commands that read a text: only from standard input, the word `-` at this place after those of the command. */
const fromInput: Readonly<Record<string, number>> = { 'memory write': 1 }

/** Words that name a file, a folder or an address. */
const forbiddenWords = /^--(?:http|report|workspace|file|context|root)(?:=|$)/

/**
 * Why the doorway refuses a command, or undefined. `--root` may name the own repository only, and `--json` stands
 * anywhere.
 */
export const whyRefused = (given: readonly string[], root: string): string | undefined => {
  const words = withoutRoot(given, root)
  if (words === undefined) return 'an agent in a sandbox works on its own repository'
  const plain = words.filter((word) => word !== '--json')
  if (plain.some((word) => ['--help', '-h', '--version', '-V'].includes(word))) return undefined
  if (plain.some((word) => forbiddenWords.test(word))) return 'an agent in a sandbox names no files and addresses'
  const reading = Object.entries(fromInput).find(([path]) => begins(plain, path))
  if (reading && plain[reading[0].split(' ').length + reading[1]] === '-') return undefined
  if (!reading && open.some((path) => begins(plain, path))) return undefined
  return reading
    ? `give the text on standard input, with '-' instead of a file`
    : `'aiswarm ${plain.slice(0, 2).join(' ')}' is not for an agent in a sandbox`
}

const withoutRoot = (words: readonly string[], root: string): readonly string[] | undefined => {
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word !== '--root' && !word.startsWith('--root=')) rest.push(word)
    else if ((word === '--root' ? words[++at] : word.slice('--root='.length)) !== root) return undefined
  }
  return rest
}

const begins = (words: readonly string[], path: string): boolean =>
  path.split(' ').every((word, at) => words[at] === word)
