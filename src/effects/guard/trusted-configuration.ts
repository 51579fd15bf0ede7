import { join } from 'node:path'
import { areSame, CONFIGURATION, isOwn, ownOf } from '../../domain/integration/trusted-configuration.ts'
import { personaSettings } from '../../domain/settings/persona-settings.ts'
import { defaultSettings, type Settings } from '../../domain/settings/settings.ts'
import { readGuard } from '../../operations/integration/configuration.ts'
import { perform } from '../../operations/perform/perform.ts'
import { withRule, writeRule } from '../configuration/allow-rules.ts'
import { loadedOf, type LoadedSettings, parseSettings, settingsOf } from '../configuration/config.ts'
import { configPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { lookAtOwn } from './guard.ts'
import { changingOwn, type Judge, judgeOwn, meaningOf, stampOfOwn } from './own-configuration.ts'

// The configuration that applies at the start of a process and at each moment while it runs, and a rule that a
// person adds to it.

interface AtStart {
  readonly loaded: LoadedSettings
  /** The persona files, each as path and text. */
  readonly personas: readonly (readonly [path: string, source: string])[]
  /** True if an agent may have changed the files, so that none of them applies. */
  readonly held: boolean
}

/**
 * The configuration of a process in another checkout than the board's main one: the trusted one of the board. Files of
 * this checkout say nothing.
 */
export const configurationOfBoard = async ({ core, actor }: Judge): Promise<AtStart> => {
  const trusted = (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]
  const loaded = (trusted === undefined ? undefined : loadedOf(trusted)) ?? {
    settings: defaultSettings,
    namesTarget: false,
  }
  return { loaded: { ...loaded, warnings: [] }, personas: [], held: false }
}

/**
 * The configuration of a process that starts now: the files as they are, or, if an agent may have changed them, the
 * configuration that was last trusted. Every file is judged by the very text that is then used, even if it changes in
 * between. Refuses a configuration that a person has broken.
 */
export const configurationAtStart = async (world: Judge): Promise<AtStart> => {
  const { root } = world.core
  const path = configPath(root)
  const { guard, found } = await judgeOwn(world)
  const personas = Object.entries(found).flatMap(([name, text]) =>
    isOwn(name) && name !== CONFIGURATION ? [[join(root, name), text] as const] : [],
  )
  const trusted = guard?.entries[CONFIGURATION]
  if (guard !== null && trusted !== undefined && !areSame(found, ownOf(guard.entries)))
    // If the trusted configuration was already broken, nothing of it can apply.
    return {
      loaded: { ...(loadedOf(trusted) ?? { settings: defaultSettings, namesTarget: false }), warnings: [] },
      personas,
      held: true,
    }
  // The text with its comments, because messages name its lines.
  const text = readRegular(path) ?? ''
  return {
    loaded: parseSettings(meaningOf(text) === found[CONFIGURATION] ? text : found[CONFIGURATION]!, path),
    personas,
    held: false,
  }
}

/**
 * The configuration that is trusted at this moment: the file as it is while no agent runs, otherwise the version that
 * was last accepted. While nothing has changed, it only checks the files' dates.
 */
export const liveConfiguration = (world: World): (() => Promise<Settings>) => {
  const { core, actor } = world
  let settings = core.settings
  let [seen, known, text]: (string | null | undefined)[] = []
  return async () => {
    const stamp = stampOfOwn(core.root)
    if (stamp !== seen && (await lookAtOwn(world))) seen = stamp
    const { trusted } = await wishesOf(world)
    if (trusted === known) return settings
    known = trusted
    const now = (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]
    if (now !== undefined && now !== text) settings = settingsOf(now) ?? settings
    text = now
    return settings
  }
}

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

/**
 * Writes a rule that a person wants to keep and trusts that change only, not other edits that the file has received
 * meanwhile.
 */
export const rememberRule = async (world: World, personaId: string, rule: string): Promise<void> => {
  const path = configPath(world.core.root)
  await changingOwn(
    world,
    async () => writeRule(path, personaId, rule),
    ({ before, after }, trusted) => ({
      ...trusted,
      [CONFIGURATION]:
        meaningOf(before) === trusted[CONFIGURATION]
          ? after
          : withRule(trusted[CONFIGURATION] ?? '', path, personaId, rule),
    }),
  )
}
