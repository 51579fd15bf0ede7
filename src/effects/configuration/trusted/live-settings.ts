import { personaSettings } from '../../../domain/settings/persona-settings.ts'
import { defaultSettings, type Settings } from '../../../domain/settings/settings.ts'
import { liveConfiguration } from './live.ts'
import type { World } from '../../world.ts'

const CHANGED =
  'The configuration of the board has changed. session.maxParallel, rules and hooks apply now; restart this process for the rest.'

/**
 * The configuration as it is trusted at this moment, for what need not wait for a restart. On a board with several hosts,
 * reports once for each change that the rest of it does, because the edited file is on another machine.
 */
export const liveSettings = (world: World): (() => Promise<Settings>) => {
  const live = liveConfiguration(world)
  let [last, first, said]: [Settings?, string?, string?] = []
  return async () => {
    const now = await live()
    if (now === last) return now
    last = now
    const rest = JSON.stringify(restOf(now))
    first ??= rest
    if (rest !== first && rest !== said && world.core.host !== undefined) world.report(CHANGED)
    said = rest
    return now
  }
}

const PLAIN = JSON.stringify({ ...personaSettings(defaultSettings, ''), allow: [] })

/** The settings that apply when a process starts. */
const restOf = ({ session, agents, on: _, ...settings }: Settings): unknown => ({
  ...settings,
  session: { ...session, maxParallel: 0 },
  agents: {
    ...agents,
    // A persona that has nothing but rules is as one without settings.
    personas: Object.entries(agents.personas)
      .map(([name, persona]) => [name, JSON.stringify({ ...persona, allow: [] })])
      .filter(([, persona]) => persona !== PLAIN),
  },
})

/** The most agents that run at a time on the whole board: what a person gave this process, or the configuration says now. */
export class MostAtOnce {
  #now: number
  readonly #live: (() => Promise<Settings>) | undefined

  constructor(world: World, given: number | null) {
    this.#now = given ?? world.core.settings.session.maxParallel
    this.#live = given === null ? liveSettings(world) : undefined
  }

  get now(): number {
    return this.#now
  }

  async reread(): Promise<void> {
    if (this.#live) this.#now = (await this.#live()).session.maxParallel
  }
}
