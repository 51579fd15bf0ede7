import { whyNotAnswer } from '../domain/request.ts'
import { answerRequest } from '../operations/answer-request.ts'
import type { RequestView } from '../operations/kernel/requests.ts'
import type { Desk } from './desk.ts'
import { answerForm } from './forms.ts'
import { selectAgent } from './movement.ts'
import { itemOf, placeOf, settle } from './inbox/settle.ts'
import { open } from './overlays.ts'
import { type ConsoleState, looking } from './state.ts'
import type { Stroke } from './strokes.ts'
import { answerForm as answerWords } from '../text/forms.ts'
import { inboxText } from '../text/inbox.ts'
import { answerReceipts, requestRefusals } from '../text/requests.ts'

// From `w` to the answer that an agent waits for.

/** The open request of an agent, the oldest first; what its CLI denied by itself comes last. */
export const openRequestOf = ({ board }: ConsoleState, agentId: string | null): RequestView | undefined => {
  const open = board.requests.filter((request) => request.agentId === agentId && request.status === 'open')
  return open.find(({ kind }) => kind !== 'denial') ?? open[0]
}

/** Selects the agent and shows what it asks. Answering is another key, pressed once it can be read. */
export const showRequest = (desk: Desk, request: RequestView): void => {
  desk.change(selectAgent(request.agentId))
  desk.change(looking((_, state) => ({ shown: placeOf(state, { requestId: request.id }) })))
  desk.change(open({ kind: 'request', request: request.id, top: 0 }))
}

/** What is asked in the overlay in front. */
export const shownRequest = ({ board, view: { overlay } }: ConsoleState): RequestView | undefined =>
  overlay?.kind === 'request' ? board.requests.find(({ id }) => id === overlay.request) : undefined

const whyNot =
  (verb: 'allow' | 'deny' | 'answer') =>
  (request: RequestView | undefined): string | undefined =>
    request ? whyNotAnswer(verb, request) : requestRefusals.over

const whyNotVerdict: Record<'allow' | 'deny' | 'always', (request: RequestView | undefined) => string | undefined> = {
  allow: (request) => whyNot('allow')(request) ?? (request!.kind === 'denial' ? requestRefusals.hasGoneOn : undefined),
  always: (request) => whyNot('allow')(request) ?? (request!.rule === null ? (request!.kind === 'denial' ? requestRefusals.noRuleForDenial : requestRefusals.noRule) : undefined),
  deny: (request) => (request?.kind === 'question' ? whyNotAnswer('answer', request) : whyNot('deny')(request)),
}

/** Why a request cannot be answered so, wherever it is answered from. */
export const whyNotAnswerThis =
  (verdict: 'allow' | 'deny' | 'always') =>
  ({ board }: ConsoleState, id: number): string | undefined =>
    whyNotVerdict[verdict](board.requests.find((request) => request.id === id))

const whyNotShown = (verdict: 'allow' | 'deny' | 'always') => (state: ConsoleState) => whyNotVerdict[verdict](shownRequest(state))

export const whyNotAllow = whyNotShown('allow')

export const whyNotAlways = whyNotShown('always')

export const whyNotDeny = whyNotShown('deny')

/** What the key that denies is called, where it denies nothing. */
export const denyNow = (state: ConsoleState): string | undefined => {
  const kind = shownRequest(state)?.kind
  return kind === 'question' || kind === 'denial' ? inboxText.leaves : undefined
}

export const whyNotOption = (state: ConsoleState): string | undefined => whyNotReply(state) ?? noOptionsIn(shownRequest(state))

/** Why a digit answers nothing. */
export const noOptionsIn = (request: RequestView | undefined): string | undefined => (request?.options.length ? undefined : requestRefusals.noOptions)

export const whyNotReply = (state: ConsoleState): string | undefined => whyNot('answer')(shownRequest(state))

export const allow = (desk: Desk): void => answer(desk, 'allow', answerReceipts.did.allow, ({ agentId, tool }) => answerReceipts.allowed(agentId, tool))

export const always = (desk: Desk): void => answer(desk, 'always', answerReceipts.did.always, ({ personaId, rule }) => answerReceipts.allowedAlways(rule, personaId))

export const deny = (desk: Desk): void => {
  const request = shownRequest(desk.state())!
  if (request.kind === 'question') return answerQuestionAway(desk, { requestId: request.id, agentId: request.agentId })
  answer(desk, 'deny', request.kind === 'denial' ? answerReceipts.did.leave : answerReceipts.did.deny, ({ agentId, tool, kind }) =>
    kind === 'denial' ? answerReceipts.left : answerReceipts.denied(agentId, tool),
  )
}

/** Leaves a question to the agent that asks it. */
export const answerQuestionAway = (desk: Desk, { requestId, agentId }: { readonly requestId: number | null; readonly agentId: string | null }): void =>
  settle(
    desk,
    itemOf(desk.state(), { requestId }),
    answerReceipts.did.leaveToAgent,
    answerRequest,
    { requestId: requestId!, verdict: 'answer', answer: answerReceipts.toldToDecide },
    () => answerReceipts.decidesItself(agentId),
  )

/** An agent gives at most so many answers to choose from. */
export const optionKeys: readonly Stroke[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9']

/** By its number one of the answers that an agent gave to choose from. */
export const answerWithOption = (desk: Desk, stroke?: Stroke): void => answerWith(desk, shownRequest(desk.state())!, stroke)

export const answerWith = (desk: Desk, { id, options }: RequestView, stroke?: Stroke): void => {
  const option = options[Number(stroke) - 1]
  if (option === undefined) return desk.tell(requestRefusals.noOption(options.length), 'refused')
  settle(desk, itemOf(desk.state(), { requestId: id }), answerWords.did, answerRequest, { requestId: id, verdict: 'answer', answer: option }, ({ agentId }) =>
    answerWords.isTold(agentId, option),
  )
}

/** A question is answered in words. */
export const reply = (desk: Desk): void => {
  const request = shownRequest(desk.state())!
  desk.change(open({ kind: 'form', form: answerForm(request.id, request.subject, request.options) }))
}

/** Answers exactly the request that was shown. */
const answer = (desk: Desk, verdict: 'allow' | 'deny' | 'always', did: string, receipt: (answered: RequestView & { personaId: string }) => string): void => {
  const { id } = shownRequest(desk.state())!
  settle(desk, itemOf(desk.state(), { requestId: id }), did, answerRequest, { requestId: id, verdict }, receipt)
}
