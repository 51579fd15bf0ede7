// Permissions of agents, in terms common to all CLIs. A rule is a text in the configuration: `shell(npm test)` allows
// commands that begin with these words, `edit` files of the worktree, `tool(Name)` one tool of the CLI.

/** The action that an agent wants to take. */
export type Wanted =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'edit'; readonly path: string }
  | { readonly kind: 'tool'; readonly name: string }

export type Rule =
  | { readonly kind: 'shell'; readonly words: string }
  | { readonly kind: 'edit' }
  | { readonly kind: 'tool'; readonly name: string }

/**
 * The characters allowed in a word of a rule. Each CLI has its own wildcards, commas and quotes; a rule must not
 * contain characters that mean more there than here.
 */
const sayable = /^[\w@%+=:./~^-]+$/

/** The rule in a text; undefined if it is invalid. */
export const parseRule = (text: string): Rule | undefined => {
  if (text.trim() === 'edit') return { kind: 'edit' }
  const [, kind, inside = ''] = /^(shell|tool)\(([^()\n]+)\)$/.exec(text.trim()) ?? []
  const said = words(inside)
  if (said.length === 0 || !said.every((word) => sayable.test(word))) return undefined
  if (kind === 'shell') return { kind, words: said.join(' ') }
  return said.length === 1 ? { kind: 'tool', name: said[0]! } : undefined
}

export const ruleText = (rule: Rule): string =>
  rule.kind === 'edit' ? 'edit' : rule.kind === 'shell' ? `shell(${rule.words})` : `tool(${rule.name})`

/**
 * The rule that would allow this and similar actions. For a command: its program and its subcommand, `git commit` for
 * `git commit -m x`; undefined for a command that no rule can describe, because it does more than one thing.
 */
export const ruleFor = (wanted: Wanted): Rule | undefined => {
  if (wanted.kind === 'edit') return { kind: 'edit' }
  if (wanted.kind === 'tool') return sayable.test(wanted.name) ? { kind: 'tool', name: wanted.name } : undefined
  if (!isSimple(wanted.command)) return undefined
  const said = beginning(words(wanted.command))
  return said.length > 0 && said.every((word) => sayable.test(word))
    ? { kind: 'shell', words: said.join(' ') }
    : undefined
}

/** The words of a command that identify its action. */
const beginning = (command: readonly string[]): readonly string[] => {
  const [program = '', next, third] = command
  if (carriers.has(program.slice(program.lastIndexOf('/') + 1))) return command
  if (next === undefined || !verb.test(next)) return verbed.has(program) ? command : [program]
  if (!runners.has(next)) return [program, next]
  return third !== undefined && verb.test(third) ? [program, next, third] : command
}

const verb = /^[a-z][\w:-]*$/i

/** Programs that run their arguments, so that a rule for the program alone would allow everything. */
const carriers = new Set(
  'sh bash zsh dash fish env sudo doas su xargs time timeout nice nohup setsid node deno bun python python3 ruby perl php awk find eval exec command ssh npx bunx uvx'.split(
    ' ',
  ),
)

/** Programs with subcommands, where an option may precede the subcommand. */
const verbed = new Set(
  'git npm pnpm yarn cargo go docker podman kubectl helm gh pip pip3 uv brew apt apt-get systemctl terraform aws gcloud az dotnet mvn gradle make'.split(
    ' ',
  ),
)

/** Subcommands that run the program named by the next word. */
const runners = new Set('run run-script exec x dlx script'.split(' '))

/** True if one of the rules allows it. No rule allows a command that does more than one thing. */
export const isAllowed = (wanted: Wanted, rules: readonly string[]): boolean =>
  rules.some((text) => covers(parseRule(text), wanted))

const covers = (rule: Rule | undefined, wanted: Wanted): boolean => {
  if (rule?.kind === 'edit') return wanted.kind === 'edit'
  if (rule?.kind === 'tool') return wanted.kind === 'tool' && wanted.name === rule.name
  if (rule?.kind !== 'shell' || wanted.kind !== 'shell' || !isSimple(wanted.command)) return false
  const allowed = words(rule.words)
  const given = words(wanted.command)
  return allowed.every((word, at) => given[at] === word)
}

/** True for one program with its arguments: no chains, pipes, substitutions, redirections or assignments. */
const isSimple = (command: string): boolean => !/[;&|`$<>\n\r\\(){}]/.test(command) && !/^\s*\w+=/.test(command)

const words = (text: string): readonly string[] => text.trim().split(/\s+/).filter(Boolean)
