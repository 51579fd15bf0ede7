import type { Machine } from '../rules/state-machine.ts'

/**
 * A request by an agent to a person: for permission to use a tool, or for an answer; a denial reports afterwards that
 * the CLI itself refused a tool.
 */
export const requestKinds = ['permission', 'question', 'denial'] as const
export type RequestKind = (typeof requestKinds)[number]

export const requestStates = ['open', 'allowed', 'denied', 'answered', 'expired', 'withdrawn'] as const
export type RequestState = (typeof requestStates)[number]

export type RequestVerb = 'allow' | 'deny' | 'answer' | 'expire' | 'withdraw'

/** An answer is given once. `expire`: no person answered in time; `withdraw`: the attempt that asked has ended. */
export const requestMachine: Machine<RequestState, RequestVerb> = {
  allow: { from: ['open'], to: 'allowed' },
  deny: { from: ['open'], to: 'denied' },
  answer: { from: ['open'], to: 'answered' },
  expire: { from: ['open'], to: 'expired' },
  withdraw: { from: ['open'], to: 'withdrawn' },
}

/** The reason why a request cannot be answered with `verb`, as one sentence; undefined if it can. */
export const whyNotAnswer = (
  verb: 'allow' | 'deny' | 'answer',
  request: { readonly id: number; readonly kind: RequestKind; readonly status: RequestState },
): string | undefined => {
  const { id, kind, status } = request
  if (status !== 'open')
    return `Request ${id} is closed: it ${kind === 'question' && status === 'expired' ? 'was not answered in time, so the agent decides' : over[status]}.`
  if (kind === 'question' && verb !== 'answer') return `Request ${id} is a question. Answer it in words.`
  if (kind !== 'question' && verb === 'answer') return `Request ${id} asks for permission. Allow or deny it.`
  return undefined
}

const over: Record<Exclude<RequestState, 'open'>, string> = {
  allowed: 'was allowed',
  denied: 'was denied',
  answered: 'was answered',
  expired: 'was not answered in time and counts as denied',
  withdrawn: 'was withdrawn when its attempt ended',
}
