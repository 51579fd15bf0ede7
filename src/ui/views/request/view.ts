import type { Line } from '../../../../components/Lines.tsx'
import { ours, safeText, type SafeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import { answerRequest } from '../../../operations/requests/answers.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import { commonText } from '../../../text/common.ts'
import {
  answerReceipts,
  expiredQuestion,
  inboxText,
  requestAnswers,
  requestOutcomes,
  requestRefusals,
  requestText,
} from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import {
  answerForm,
  answerQuestionAway,
  answerWith,
  denyForm,
  noOptionsIn,
  optionKeys,
  whyNot,
  whyNotVerdict,
} from '../../actions/requests.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import { agentOf, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { shownKey } from '../../keys/bindings.ts'
import type { Stroke } from '../../keys/strokes.ts'
import { fact, heading, widthIn } from '../../rows/lines.ts'
import { askedLines } from '../../rows/requests.ts'

/** A request of an agent to a person. */
interface RequestOverlay {
  readonly kind: 'request'
  readonly request: number
  readonly top: number
}

// The actions of the keys on the shown request.

/** The request in the front overlay. */
export const shownRequest = ({ board, view: { overlay } }: ConsoleState): RequestView | undefined =>
  overlay?.kind === 'request' ? board.requests.find(({ id }) => id === overlay.request) : undefined

const whyNotShown = (verdict: 'allow' | 'deny' | 'always') => (state: ConsoleState) =>
  whyNotVerdict[verdict](shownRequest(state))

const whyNotAllow = whyNotShown('allow')

const allow = (controller: Controller): void =>
  answer(controller, 'allow', answerReceipts.did.allow, ({ agentId, tool }) => answerReceipts.allowed(agentId, tool))

const whyNotDeny = whyNotShown('deny')

/** The label of the deny key for a request that it cannot deny. */
const denyNow = (state: ConsoleState): string | undefined => {
  const kind = shownRequest(state)?.kind
  return kind === 'question' || kind === 'denial' ? inboxText.leaves : undefined
}

const deny = (controller: Controller): void => {
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
const whyNotDenyWords = (state: ConsoleState): string | undefined =>
  shownRequest(state)?.kind === 'denial' ? requestRefusals.deniedAlready : whyNot('deny')(shownRequest(state))

const denyInWords = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: denyForm(shownRequest(controller.state())!) }))

const whyNotAlways = whyNotShown('always')

const always = (controller: Controller): void =>
  answer(controller, 'always', answerReceipts.did.always, ({ personaId, rule }) =>
    answerReceipts.allowedAlways(rule, personaId),
  )

const whyNotOption = (state: ConsoleState): string | undefined => whyNotReply(state) ?? noOptionsIn(shownRequest(state))

/** By its number one of the answers that an agent gave to choose from. */
const answerWithOption = (controller: Controller, stroke?: Stroke): void =>
  answerWith(controller, shownRequest(controller.state())!, stroke)

const whyNotReply = (state: ConsoleState): string | undefined => whyNot('answer')(shownRequest(state))

/** A question is answered in words. */
const reply = (controller: Controller): void => {
  const request = shownRequest(controller.state())!
  controller.change(open({ kind: 'form', form: answerForm(request) }))
}

// prettier-ignore
export const request: ReadView<RequestOverlay> = {
  kind: 'request',
  title: modeText.request,
  manner: 'reading',
  keys: [
    { id: 'allow', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: whyNotAllow, press: allow },
    { id: 'deny', keys: ['n'], shown: 'n', writes: true, answers: true, footer: true, blocked: whyNotDeny, labelNow: denyNow, press: deny },
    { id: 'deny-words', keys: ['N'], shown: 'N', writes: true, footer: true, blocked: whyNotDenyWords, press: denyInWords },
    { id: 'always', keys: ['a'], shown: 'a', writes: true, answers: true, footer: true, blocked: whyNotAlways, press: always },
    { id: 'option', keys: optionKeys, shown: '1–9', writes: true, answers: true, footer: true, blocked: whyNotOption, press: answerWithOption },
    { id: 'reply', keys: ['enter'], shown: 'enter', writes: true, footer: true, blocked: whyNotReply, press: reply },
  ],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: (state, overlay) => requestSheet(state, overlay.request),
  answer: { line: (state) => answersTo(shownRequest(state), { reply: shownKey(state, 'reply'), words: shownKey(state, 'deny-words') }), ready: (state) => shownRequest(state)?.status === 'open' },
  click: null,
  asks: () => true,
  once: true,
  readyFirst: true,
  shows: (_, { request }, item) => request === item.requestId,
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

/** Everything a person needs to answer an agent. */
const requestSheet = (state: ConsoleState, id: number): SheetContent | undefined => {
  const request = state.board.requests.find((one) => one.id === id)
  if (!request) return undefined
  const width = widthIn(state)
  const task = taskOf(state, request.taskId)
  return sheetOfLines(safeText(`${request.agentId} ${requestText.titles[request.kind]}`), [
    ...standing(request),
    ...fact(requestText.facts.agent, `${request.agentId}, ${agentOf(state, request.agentId)?.personaId ?? ''}`),
    ...fact(
      requestText.facts.task,
      request.taskId === null ? null : `${request.taskId}${task ? ` ${task.title}` : ''}`,
    ),
    ...(request.tool === null ? [] : fact(requestText.facts.tool, spelledOut(request.tool).join(' '))),
    ...fact(
      requestText.facts.asked,
      commonText.ago(clockTime(request.askedAt), duration(elapsed(request.askedAt, state.now))),
    ),
    ...fact(
      requestText.facts.expires,
      request.status === 'open' && request.expiresAt !== null
        ? requestText.expires(duration(elapsed(state.now, request.expiresAt)), request.kind === 'question')
        : null,
    ),
    ...(request.rule === null ? [] : fact(requestText.facts.allows, spelledOut(request.rule).join(' '))),
    ...heading(request.kind === 'question' ? requestText.question : requestText.about),
    ...askedLines(request, width),
  ])
}

/** The keys that may have been bound to others. */
interface AnswerKeys {
  readonly reply: string
  readonly words: string
}

/** The present actions of the keys, as text. */
export const answersTo = (
  request: RequestView | undefined,
  { reply, words }: AnswerKeys = { reply: 'enter', words: 'N' },
): SafeText => {
  if (!request) return ours(requestAnswers.over)
  if (request.status !== 'open') return ours(requestAnswers.ended(outcomeOf(request)))
  const options = request.options.length
  if (request.kind === 'question')
    return ours(options === 0 ? requestAnswers.question(reply) : requestAnswers.choice(reply, options))
  const rule = request.rule === null ? '' : requestAnswers.always(spelledOut(request.rule).join(' '))
  return ours(request.kind === 'denial' ? requestAnswers.denial(rule) : requestAnswers.permission(rule, words))
}

const outcomeOf = ({ kind, status }: RequestView): string =>
  kind === 'question' && status === 'expired' ? expiredQuestion : outcomes[status as keyof typeof outcomes]

const outcomes: Record<Exclude<RequestView['status'], 'open'>, string> = requestOutcomes

const standing = (request: RequestView): readonly Line[] =>
  request.status === 'open'
    ? []
    : [
        { text: ours(outcomeOf(request)), bold: true },
        ...fact(requestText.facts.told, request.toldAt === null ? null : clockTime(request.toldAt)),
      ]
