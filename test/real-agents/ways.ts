import { agentKinds } from '../../src/agents/kinds.ts'
import type { AgentKind } from '../../src/agents/kind/kind.ts'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import type { Cli } from './clis.ts'

/** The kind of a CLI in the way in which it is tried. */
export const kindOf = ({ name, protocol }: Cli): AgentKind => {
  const { agents } = defaultSettings
  const spoken = protocol === undefined ? {} : { [name]: { command: [], env: {}, files: false, protocol } }
  return agentKinds({ ...defaultSettings, agents: { ...agents, kinds: spoken as unknown as typeof agents.kinds } }).get(
    name,
  )!
}

/** True if it can be spoken to, and asks, while it works. */
export const talks = (cli: Cli): boolean => kindOf(cli).talk !== undefined

/** Why it asks no person while it works. */
export const whyNotAsked = (cli: Cli): string | undefined => {
  const { talk, unasked, because } = kindOf(cli)
  if (talk !== undefined) return undefined
  // Claude Code asks through a tool of aiswarm when it runs headless.
  if (cli.name === 'claude') return undefined
  return [unasked ?? 'It cannot ask.', ...(because === undefined ? [] : [`It runs headless, since ${because}.`])].join(
    ' ',
  )
}

export const whyNotResumed = (cli: Cli): string | undefined =>
  kindOf(cli).resumes === true ? undefined : 'Each attempt of its kind begins a new conversation in this way.'
