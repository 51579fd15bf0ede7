import { globSync } from 'node:fs'
import { resolve } from 'node:path'

// The tests that take most of the time: torture, matrices of shapes, hostile screens, and stories of more than a few
// seconds. `npm test` leaves them to `npm run test:long`; `npm run prove` runs all of them, and CI some every day.

/** Their files, as globs. */
export const longTests: readonly string[] = [
  // Every shape of a repository.
  'test/matrix/*.test.ts',
  // Kills, storms, terminals of all sizes, and several programs at once.
  'test/stories/{agents,comfort,consoles,conversation,cost,demo,demo-piped,diff,documents,filter,first-task,inbox,integrate,key-path,keys,links,logs,memory,own-configuration,palette,panes,race,reasons,requests,review,safety,session-files,settings,size,storm,surroundings,take-over,talk,terminals,truth,views}.story.test.ts',
  'test/stories/{kill-loop,pipeline,reattach}.test.ts',
  'test/package.test.ts',
  'test/postgres/agents-socket.test.ts',
  // A fleet of machines with a network of their own.
  'test/fleet/*.test.ts',
  // Processes that die, files that cannot be written, folders that change under the hand.
  'test/effects/archive/{archive-crash,archive-faults,archive-property,census,remover,restorer}.test.ts',
  'test/effects/{files/git-dir,git/drivers,git/separate-git-folder,integration/crash,loops/headless,loops/late-process,worktrees/observer,loops/undecided,opening/away-take-over,processes/agent-caller,processes/namespaces}.test.ts',
  'test/effects/{opening/ancestry,sandbox/{attack-table,doorway-attacks,doorway-operations},remote/candidates,sandbox/agents,sandbox/limits,sandbox/network,sandbox/projects,memories/bmad,watch/checkout,watch/targets}.test.ts',
  'test/effects/{guard/own-configuration,loops/hooks,integration/present,integration/merge-queue,integration/target-tests,talk/delivery,talk/driven,talk/talks,worktrees/branch-environment,worktrees/builder,worktrees/folder,worktrees/ports,worktrees/replaced-worktree}.test.ts',
  'test/effects/{radar/radar,radar/radar-notes,radar/radar-old-git,runs/structured-agents,session-files/projections-at-once,worktrees/building-site}.test.ts',
  'test/effects/{doorway/{pipe,ask},git/late-output,hosts/host-holds,processes/flood,integration/lost-merges,loops/junit,remote/behind,runs/attempt-memory,worktrees/setup}.test.ts',
  // Imports that are killed.
  'test/effects/worktree-git/killed.test.ts',
  'test/db/sqlite/backup.test.ts',
  'test/memory/*/{conservation,crash,long-files}.test.ts',
  'test/memory/project-memory/{decisions,timeline}.test.ts',
  'test/cli/report/session-report.test.ts',
  // The protocol and seed 003's tools one by one, each on a server of its own.
  'test/mcp/{protocol/protocol,tools/waiting,tools/dual-memory-tools,tools/tools}.test.ts',
  'test/operations/{model,sessions/replay-worktrees,tasks/race}.test.ts',
  // The checkers of the proofs, on histories made for them.
  'test/prove/repositories.test.ts',
  'test/prove/fleet/landings.test.ts',
  // Hostile text, for every field of every screen, and bad input for every command.
  'test/**/*bad-input.test.ts',
  'test/components/{paint,palette,panes}.test.tsx',
  'test/ui/{safety,truth}.test.ts',
  'test/ui/{keys/path,mouse}.test.ts',
  'test/ui/panes/{away,shapes}.test.ts',
  'test/ui/views/{memory/screen,plots/plots}.test.ts',
  'test/ui/{safety/fields,safety/long,screen/*}.test.ts',
]

/** Paths of the files, from the root of the project. */
export const longFiles = (): readonly string[] =>
  globSync([...longTests], { cwd: resolve(import.meta.dirname, '..') }).sort()
