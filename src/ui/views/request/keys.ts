import { answerRequest } from '../../../operations/requests/answers.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import {
  answerForm,
  answerQuestionAway,
  answerWith,
  denyForm,
  noOptionsIn,
  whyNot,
  whyNotVerdict,
} from '../../actions/requests.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import type { Stroke } from '../../keys/strokes.ts'
import { answerReceipts, inboxText, requestRefusals } from '../../../text/inbox.ts'

// The actions of the keys on the shown request.

/** The request in the front overlay. */
export const shownRequest = ({ board, view: { overlay } }: ConsoleState): RequestView | undefined =>
  overlay?.kind === 'request' ? board.requests.find(({ id }) => id === overlay.request) : undefined

const whyNotShown = (verdict: 'allow' | 'deny' | 'always') => (state: ConsoleState) =>
  whyNotVerdict[verdict](shownRequest(state))

export const whyNotAllow = whyNotShown('allow')

export const whyNotAlways = whyNotShown('always')

export const whyNotDeny = whyNotShown('deny')

/** The label of the deny key for a request that it cannot deny. */
export const denyNow = (state: ConsoleState): string | undefined => {
  const kind = shownRequest(state)?.kind
  return kind === 'question' || kind === 'denial' ? inboxText.leaves : undefined
}

export const whyNotOption = (state: ConsoleState): string | undefined =>
  whyNotReply(state) ?? noOptionsIn(shownRequest(state))

export const whyNotReply = (state: ConsoleState): string | undefined => whyNot('answer')(shownRequest(state))

export const allow = (controller: Controller): void =>
  answer(controller, 'allow', answerReceipts.did.allow, ({ agentId, tool }) => answerReceipts.allowed(agentId, tool))

export const always = (controller: Controller): void =>
  answer(controller, 'always', answerReceipts.did.always, ({ personaId, rule }) =>
    answerReceipts.allowedAlways(rule, personaId),
  )

export const deny = (controller: Controller): void => {
  const request = shownRequest(controller.state())!
  if (request.kind === 'question')
    return answerQuestionAway(controller, { requestId: request.id, agentId: request.agentId })
  answer(
    controller,
    'deny',
    request.kind === 'denial' ? answerReceipts.did.leave : answerReceipts.did.deny,
    ({ agentId, tool, kind }) => (kind === 'denial' ? answerReceipts.left : answerReceipts.denied(agentId, tool)),
  )
}

/** Only a permission: what a CLI has denied already reaches no agent, and a question is answered. */
export const whyNotDenyWords = (state: ConsoleState): string | undefined =>
  shownRequest(state)?.kind === 'denial' ? requestRefusals.deniedAlready : whyNot('deny')(shownRequest(state))

export const denyInWords = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: denyForm(shownRequest(controller.state())!) }))

/** By its number one of the answers that an agent gave to choose from. */
export const answerWithOption = (controller: Controller, stroke?: Stroke): void =>
  answerWith(controller, shownRequest(controller.state())!, stroke)

/** A question is answered in words. */
export const reply = (controller: Controller): void => {
  const request = shownRequest(controller.state())!
  controller.change(open({ kind: 'form', form: answerForm(request) }))
}

/** Answers exactly the request that was shown. */
const answer = (
  controller: Controller,
  verdict: 'allow' | 'deny' | 'always',
  did: string,
  receipt: (answered: RequestView & { personaId: string }) => string,
): void => {
  const { id } = shownRequest(controller.state())!
  settle(
    controller,
    itemOf(controller.state(), { requestId: id }),
    did,
    answerRequest,
    { requestId: id, verdict },
    receipt,
  )
}
