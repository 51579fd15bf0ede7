import { Refusal } from '../../domain/refusal.ts'
import { PERSON } from './names.ts'
import type { ProjectPlace } from './place.ts'

// Whose word counts for what (`memory.owners`). The table binds the agents that it names: who owns something leaves the rest to
// the others. It says nothing about agents that it does not name.

type Owners = Pick<ProjectPlace, 'owners'>

/** Events that are about a topic of another name. */
const topics: Readonly<Record<string, readonly string[]>> = { file_modified: ['implementation-history', 'implementation-iterations'] }

export const ownersOf = ({ owners }: Owners, topic: string): readonly string[] =>
  Object.entries(owners).flatMap(([agent, owned]) => (owned.some((one) => topicOf(one) === topicOf(topic)) ? [agent] : []))

export const topicsOf = ({ owners }: Owners, agent: string): readonly string[] => (Object.hasOwn(owners, agent) ? (owners[agent] ?? []) : [])

/** The owners of what an event is about; none where nobody owns it, or the agent may write it. */
export const otherOwners = (place: Owners, type: string, agent: string): readonly string[] => {
  if (agent === PERSON || topicsOf(place, agent).length === 0) return []
  const owners = (topics[type] ?? [type]).flatMap((topic) => ownersOf(place, topic))
  return owners.includes(agent) ? [] : owners
}

export const refuseOtherOwners = (place: Owners, type: string, agent: string): void => {
  const owners = otherOwners(place, type, agent)
  if (owners.length === 0) return
  throw new Refusal('not_owner', `An event ${type} is written by ${owners.join(' or ')}, and you are ${agent}, who owns ${topicsOf(place, agent).join(', ')} (memory.owners).`)
}

/** `design_decision` is about `design-decisions`. */
const topicOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
    .replace(/s$/, '')
