import { modeText } from '../../../text/keys.ts'
import type { ReadView } from '../../core/registry.ts'
import * as guardKeys from './guard.ts'

// prettier-ignore
export const guard: ReadView<guardKeys.GuardOverlay> = {
  kind: 'guard',
  title: modeText.guard,
  manner: 'reading',
  opens: [{ id: 'guard', keys: ['!'], shown: '!', blocked: guardKeys.whyNotGuard, press: (controller) => guardKeys.openGuard(controller) }],
  keys: [{ id: 'trust', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: guardKeys.trust }],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: guardKeys.guardSheet,
  answer: { line: () => guardKeys.guardAnswer, ready: () => true },
  click: null,
  about: { has: ({ kind }) => kind === 'configuration', open: (controller, { host }, before) => guardKeys.openGuard(controller, host, before) },
  asks: () => true,
  shows: (_, { host }, item) => item.kind === 'configuration' && item.host === host,
}
