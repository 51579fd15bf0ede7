import { countOf } from '../domain/words/counts.ts'

/** The words of the view of hosts. */
export const hostText = {
  title: (hosts: number): string => countOf(hosts, 'host'),
  alone: "This board has one host. 'aiswarm fleet join-code' lets another one join.",
  here: ' (here)',
  head: { name: 'HOST', state: 'STATE', agents: 'AGENTS', worktrees: 'TREES', seen: 'SEEN', program: 'VERSION' },
  silent: (since: string): string => `silent since ${since}`,
  noWorker: 'no worker yet',
  gone: 'gone',
  unpushed: (since: string): string => `unpushed ${since}`,
  onHold: 'on hold',
  untilStart: 'drained until its next worker starts',
  hold: (why: string): string => `starts nothing new: ${why}`,
  noLabels: 'no labels',
  labels: (labels: string): string => `labels ${labels}`,
  noKinds: 'kinds not known',
  kinds: (kinds: string): string => `kinds ${kinds}`,
  drained: (name: string, running: number): string =>
    `Host ${name} starts nothing new${running === 0 ? '' : `; ${countOf(running, 'agent')} ${running === 1 ? 'finishes its' : 'finish their'} work`}.`,
  resumed: (name: string): string => `Host ${name} starts work again.`,
  lost: (name: string, ended: number): string =>
    `Host ${name} is lost${ended === 0 ? '' : `; ${countOf(ended, 'agent')} ended, and ${ended === 1 ? 'its task is' : 'their tasks are'} pending again`}.`,
  asksLost: (name: string): string => `Declare host ${name} lost?`,
  endsAgents: (running: number): string =>
    running === 0
      ? 'No agent runs there.'
      : running === 1
        ? '1 agent there no longer counts; its task is pending again.'
        : `${running} agents there no longer count; their tasks are pending again.`,
  outOfReach: 'Commits that it has not pushed are out of reach until it comes back.',
  notDrain: (name: string, state: string): string =>
    `Host ${name} is ${state}; only one that is up or draining can change.`,
  notLost: (name: string, state: string): string => `Host ${name} is ${state} already.`,
  notFirst: (name: string): string => `Host ${name} has the main checkout, so it cannot be declared lost.`,
  asksForget: (name: string): string => `Remove host ${name} from the board?`,
  writesNothing: 'Its clone writes nothing on the board any more, and comes back only with a new code.',
  forgotten: (name: string, worktrees: number): string =>
    `Host ${name} is forgotten${worktrees === 0 ? '' : `; ${countOf(worktrees, 'worktree')} ended with it`}.`,
  notForget: (name: string): string => `Host ${name} has the main checkout, so it cannot be forgotten.`,
  resume: 'resume',
  settled: (name: string): string => `The worktrees of host ${name} are marked as seen, and stay as they are.`,
  nothingBack: (name: string): string => `Host ${name} has not come back with worktrees that you have not seen.`,
  back: (worktree: string, successor: string | null): string =>
    `back with ${worktree}${successor === null ? '' : `, which ${successor} continues`}`,
  backMore: (n: number): string => `and ${countOf(n, 'worktree')} more`,
} as const
