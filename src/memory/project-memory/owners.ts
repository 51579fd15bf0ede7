import { Refusal } from '../../domain/rules/refusal.ts'
import { PERSON } from './names.ts'
import type { ProjectPlace } from './store.ts'

// The owners of topics (`memory.owners`). The table restricts the agents that it names: an owner of something leaves
// other topics to their owners. It does not restrict other agents.

type Owners = Pick<ProjectPlace, 'owners'>

/** Events about a topic with another name. */
const topics: Readonly<Record<string, readonly string[]>> = {
  file_modified: ['implementation-history', 'implementation-iterations'],
}

export const ownersOf = ({ owners }: Owners, topic: string): readonly string[] =>
  Object.entries(owners).flatMap(([agent, owned]) =>
    owned.some((one) => topicOf(one) === topicOf(topic)) ? [agent] : [],
  )

export const topicsOf = ({ owners }: Owners, agent: string): readonly string[] =>
  Object.hasOwn(owners, agent) ? (owners[agent] ?? []) : []

/** The owners of an event's topic; empty if there is none, or if the agent may write it. */
export const otherOwners = (place: Owners, type: string, agent: string): readonly string[] => {
  if (agent === PERSON || topicsOf(place, agent).length === 0) return []
  const owners = (topics[type] ?? [type]).flatMap((topic) => ownersOf(place, topic))
  return owners.includes(agent) ? [] : owners
}

export const refuseOtherOwners = (place: Owners, type: string, agent: string): void => {
  const owners = otherOwners(place, type, agent)
  if (owners.length === 0) return
  throw new Refusal(
    'not_owner',
    `Only ${owners.join(' or ')} may write an event ${type}; you are ${agent} and own ${topicsOf(place, agent).join(', ')} (memory.owners).`,
  )
}

/** `design_decision` belongs to the topic `design-decisions`. */
const topicOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
    .replace(/s$/, '')
