import { modeText } from '../../../text/keys.ts'
import type { ListView } from '../../core/registry.ts'
import { sheetHeight } from '../../panes/movement.ts'
import * as hostKeys from './hosts.ts'
import { hostsHeight, hostsWindow } from './lines.ts'

/** The machines that run agents of the board. */
// prettier-ignore
export const hosts: ListView<hostKeys.HostsOverlay> = {
  kind: 'hosts',
  title: modeText.hosts,
  manner: 'reading',
  about: { has: ({ kind }) => kind === 'returned', open: hostKeys.openReturned },
  opens: [{ id: 'hosts', keys: ['H'], shown: 'H', press: hostKeys.openHosts }],
  keys: [
    { id: 'host-drain', keys: ['d'], shown: 'd', writes: true, acts: true, footer: true, blocked: hostKeys.whyNotDrain, labelNow: hostKeys.drainNow, press: hostKeys.drain },
    { id: 'host-lose', keys: ['x'], shown: 'x', writes: true, footer: true, blocked: hostKeys.whyNotLose, press: hostKeys.lose },
    { id: 'host-forget', keys: ['f'], shown: 'f', writes: true, footer: true, blocked: hostKeys.whyNotForget, press: hostKeys.forget },
    { id: 'host-settle', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: hostKeys.whyNotSettle, press: hostKeys.settle },
  ],
  also: ['close'],
  empty: {},
  feed: hostKeys.followHosts,
  window: hostsWindow,
  tall: hostsHeight,
  scroll: (state, overlay, lines) => hostKeys.moveInHosts(state, overlay, lines, sheetHeight(state)),
  click: (state, overlay, line) => hostKeys.selectHost(state, overlay, line),
}
