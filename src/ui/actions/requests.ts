import { whyNotAnswer } from '../../domain/request/request.ts'
import { spelledOut } from '../../domain/words/safe-text.ts'
import { answerRequest } from '../../operations/requests/answers.ts'
import type { RequestView } from '../../operations/requests/requests.ts'
import { answerForm as answerWords, denyForm as denyWords, noChoice } from '../../text/forms.ts'
import { answerReceipts, requestRefusals } from '../../text/inbox.ts'
import type { Controller } from '../core/controller.ts'
import { type Form, textField } from '../core/form.ts'
import { open, returning } from '../core/overlays.ts'
import { changingView, type ConsoleState } from '../core/state.ts'
import { keyed } from '../keys/bindings.ts'
import type { Stroke } from '../keys/strokes.ts'
import { selectAgent } from '../panes/movement.ts'
import { itemOf, placeOf, settle } from './answers.ts'

// An agent that asks is answered from its own view, from the inbox and from the panes.

/** The open request of an agent, the oldest first; what its CLI denied by itself comes last. */
export const openRequestOf = ({ board }: ConsoleState, agentId: string | null): RequestView | undefined => {
  const open = board.requests.filter((request) => request.agentId === agentId && request.status === 'open')
  return open.find(({ kind }) => kind !== 'denial') ?? open[0]
}

/** Selects the agent and shows what it asks. Answering is another key, pressed once it can be read. */
export const showRequest = (controller: Controller, request: RequestView): void =>
  controller.change(
    returning((state) => {
      const selected = selectAgent(request.agentId)(state)
      const shown = changingView(() => ({ shown: placeOf(selected, { requestId: request.id }) }))(selected)
      return open({ kind: 'request', request: request.id, top: 0 })(shown)
    }),
  )

export const whyNot =
  (verb: 'allow' | 'deny' | 'answer') =>
  (request: RequestView | undefined): string | undefined =>
    request ? whyNotAnswer(verb, request) : requestRefusals.over

export const whyNotVerdict: Record<
  'allow' | 'deny' | 'always',
  (request: RequestView | undefined) => string | undefined
> = {
  allow: (request) => whyNot('allow')(request) ?? (request!.kind === 'denial' ? requestRefusals.hasGoneOn : undefined),
  always: (request) =>
    whyNot('allow')(request) ??
    (request!.rule === null
      ? request!.kind === 'denial'
        ? requestRefusals.noRuleForDenial
        : requestRefusals.noRule
      : undefined),
  deny: (request) => (request?.kind === 'question' ? whyNotAnswer('answer', request) : whyNot('deny')(request)),
}

/** Why a request cannot be answered so, wherever it is answered from. */
export const whyNotAnswerThis =
  (verdict: 'allow' | 'deny' | 'always') =>
  ({ board }: ConsoleState, id: number): string | undefined =>
    whyNotVerdict[verdict](board.requests.find((request) => request.id === id))

/** Why a digit answers nothing. */
export const noOptionsIn = (request: RequestView | undefined): string | undefined =>
  request?.options.length ? undefined : requestRefusals.noOptions

/** Leaves a question to the agent that asks it. */
export const answerQuestionAway = (
  controller: Controller,
  { requestId, agentId }: { readonly requestId: number | null; readonly agentId: string | null },
): void =>
  settle(
    controller,
    itemOf(controller.state(), { requestId }),
    answerReceipts.did.leaveToAgent,
    answerRequest,
    { requestId: requestId!, verdict: 'answer', answer: answerReceipts.toldToDecide },
    () => answerReceipts.decidesItself(agentId),
  )

/** An agent gives at most so many answers to choose from. */
export const optionKeys: readonly Stroke[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9']

export const answerWith = (controller: Controller, { id, options }: RequestView, stroke?: Stroke): void => {
  const option = options[Number(stroke) - 1]
  if (option === undefined) return controller.tell(requestRefusals.noOption(options.length), 'refused')
  settle(
    controller,
    itemOf(controller.state(), { requestId: id }),
    answerWords.did,
    answerRequest,
    { requestId: id, verdict: 'answer', answer: option },
    ({ agentId }) => answerWords.isTold(agentId, option),
  )
}

/** A question is answered in words, or by one of the answers that came with it. */
export const answerForm = ({ id, subject, options }: Pick<RequestView, 'id' | 'subject' | 'options'>): Form => ({
  kind: 'answer',
  title: answerWords.title(subject),
  request: id,
  question: { text: subject, from: 0 },
  at: 0,
  fields: [
    ...(options.length > 0
      ? [
          {
            key: 'option',
            label: answerWords.label,
            options: [...options, noChoice.ownWords],
            value: '',
            hint: answerWords.chooseHint,
            heard: options.map((option) => spelledOut(option).join(' ')).join(', '),
          },
        ]
      : []),
    textField('words', options.length > 0 ? answerWords.ownWords : answerWords.label, answerWords.wordsHint),
  ],
  submit: (controller, { option = noChoice.ownWords, words = '' }) => {
    const answer = words !== '' ? words : option === noChoice.ownWords ? '' : option
    if (answer === '')
      return controller.tell(
        keyed(controller.state(), option === '' ? answerWords.choose : answerWords.needsWords),
        'refused',
      )
    settle(
      controller,
      itemOf(controller.state(), { requestId: id }),
      answerWords.did,
      answerRequest,
      { requestId: id, verdict: 'answer', answer },
      ({ agentId }) => answerWords.isTold(agentId, answer),
    )
  },
})

/** A permission is denied with words for the agent. */
export const denyForm = ({ id, agentId, tool, subject }: RequestView): Form => ({
  kind: 'answer',
  title: denyWords.title(agentId, tool),
  request: id,
  question: { text: subject, from: 0 },
  at: 0,
  fields: [textField('words', denyWords.label, denyWords.hint)],
  submit: (controller, { words = '' }) => {
    if (words === '') return controller.tell(denyWords.needsWords, 'refused')
    settle(
      controller,
      itemOf(controller.state(), { requestId: id }),
      answerReceipts.did.deny,
      answerRequest,
      { requestId: id, verdict: 'deny', reason: words },
      () => denyWords.isTold(agentId, words),
    )
  },
})
