import { z } from 'zod'
import {
  answerHostCall as answer,
  deleteHostCalls,
  insertHostCall,
  selectHostCall,
  selectHostCalls,
} from '../../db/hosts.ts'
import { saveRunTail, selectRunTail } from '../../db/runs.ts'
import { hostVerbs, silentSince } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { clockTime, later } from '../../domain/words/time.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { findHost } from './hosts.ts'

/** How long a console waits for the answer of another host (ms). */
export const CALL_PATIENCE = 15_000

/** The most that one question may have (characters): that about a conversation names its runs and messages. */
const QUESTION = 1024 ** 2

export const askHost = operation({
  name: 'ask_host',
  summary: 'Ask another host for what only its disk or its processes can tell',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ host: z.string(), verb: z.enum(hostVerbs), input: z.string().max(QUESTION) }),
  output: () => z.object({ callId: z.int() }),
  run: async ({ db, now, settings }, { host: named, verb, input }) => {
    const { id, name, state, beat_at: beatAt } = await findHost(db, named)
    const since = silentSince({ state, beatAt }, now, settings.fleet.silentAfter)
    if (state === 'lost' || state === 'gone' || since !== undefined || beatAt === null)
      throw new Refusal(
        'invalid_state',
        `Host ${name} ${since === undefined ? (beatAt === null ? 'has no worker' : `is ${state}`) : `has been silent since ${clockTime(since)}`}, so it cannot be asked. Try again when it is back.`,
      )
    await deleteHostCalls(db, null, now)
    return {
      callId: await insertHostCall(db, { host_id: id, verb, input, expires_at: later(now, CALL_PATIENCE) }),
    }
  },
})

export const readHostCalls = operation({
  name: 'read_host_calls',
  summary: 'Read the questions of consoles to this host',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ callId: z.int(), verb: z.string(), input: z.string() })),
  run: async (context) => {
    const host = hostOf(context)
    if (host === null) return []
    const calls = await selectHostCalls(context.db, host, context.now)
    return calls.map(({ id, verb, input }) => ({ callId: id, verb, input }))
  },
})

/** The most that one answer may have (characters). */
const MOST = 16 * 1024 ** 2

export const answerHostCall = operation({
  name: 'answer_host_call',
  summary: 'Answer a question of a console to this host',
  access: 'beat',
  authority: 'system',
  input: () =>
    z.strictObject({
      callId: z.int(),
      /** JSON; null with the reason if there is no answer. */
      answer: z.string().max(MOST).nullable(),
      problem: z.string().nullable(),
    }),
  output: () => z.object({ answered: z.boolean() }),
  run: async (context, { callId, ...given }) => {
    const host = hostOf(context)
    return { answered: host !== null && (await answer(context.db, callId, host, given)) }
  },
})

export const readHostAnswer = operation({
  name: 'read_host_answer',
  summary: 'Read the answer of another host, if it has answered',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ callId: z.int() }),
  output: () => z.object({ answer: z.string().nullable(), problem: z.string().nullable() }),
  run: async ({ db }, { callId }) => {
    const row = await selectHostCall(db, callId)
    return { answer: row?.answer ?? null, problem: row === undefined ? 'the question has expired' : row.problem }
  },
})

export const endHostCall = operation({
  name: 'end_host_call',
  summary: 'Delete a question to another host with its answer',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ callId: z.int() }),
  output: () => z.null(),
  run: async ({ db, now }, { callId }) => {
    await deleteHostCalls(db, callId, now)
    return null
  },
})

export const recordRunTail = operation({
  name: 'record_run_tail',
  summary: 'Record the end of the output of an agent, so that it remains if its host does not',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ agentId: z.string(), content: z.string().max(16_384), size: z.int().min(0) }),
  output: () => z.null(),
  run: async ({ db, now }, { agentId, content, size }) => {
    await saveRunTail(db, { agent_id: agentId, content, size, written_at: now })
    return null
  },
})

export const readRunTail = operation({
  name: 'read_run_tail',
  summary: 'Read the end of the output of an agent as its host recorded it last',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ agentId: z.string() }),
  output: () => z.object({ content: z.string(), size: z.int(), writtenAt: z.string() }).nullable(),
  run: async ({ db }, { agentId }) => {
    const row = await selectRunTail(db, agentId)
    return row === undefined ? null : { content: row.content, size: row.size, writtenAt: row.written_at }
  },
})
