import { setTimeout as sleep } from 'node:timers/promises'
import type { HostVerb } from '../../domain/host/host.ts'
import { isAway, Refusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/perform/perform.ts'
import { askHost as ask, CALL_PATIENCE, endHostCall, readHostAnswer } from '../../operations/hosts/calls.ts'
import type { World } from '../world.ts'

/** How often the answer is looked for (ms). */
const LOOK_FOR_ANSWER = 50

/** Asks another host, through the board, which is the one place that all of them reach. */
export const askHost = async <T>(
  { core, actor }: Pick<World, 'core' | 'actor'>,
  host: string,
  verb: HostVerb,
  input: object,
): Promise<T> => {
  const { callId } = await perform(core, ask, { host, verb, input: JSON.stringify(input) }, actor)
  try {
    for (const until = performance.now() + CALL_PATIENCE; performance.now() < until; await sleep(LOOK_FOR_ANSWER)) {
      const { answer, problem } = await answerNow({ core, actor }, callId)
      if (answer !== null) return JSON.parse(answer) as T
      if (problem !== null) throw new Refusal('invalid_state', `Host ${host} cannot tell: ${problem}`)
    }
  } finally {
    await perform(core, endHostCall, { callId }, actor).catch((error: unknown) => {
      // It ends by itself.
      if (!isAway(error)) throw error
    })
  }
  throw new Refusal(
    'invalid_state',
    `Host ${host} has not answered within ${CALL_PATIENCE / 1000} s. Its worker may have just ended; try again.`,
  )
}

/** No answer yet also while the board is away, since the host may give it afterwards. */
const answerNow = async ({ core, actor }: Pick<World, 'core' | 'actor'>, callId: number) => {
  try {
    return await perform(core, readHostAnswer, { callId }, actor)
  } catch (error) {
    if (!isAway(error)) throw error
    return { answer: null, problem: null }
  }
}
