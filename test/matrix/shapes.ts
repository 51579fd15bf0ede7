/** Each operation has a file of its own, so that they run in parallel. */
export type OperationName =
  'create' | 'request' | 'land' | 'late' | 'reject' | 'discard' | 'restore' | 'undo' | 'look' | 'diff'

/** A state in which an operation may find a repository. */
export interface Shape {
  /** The sh script that creates it, run in the person's main checkout `shop`, next to the worktree `auth`. */
  readonly script: string
  /** It changes what git obeys, and the person has accepted that. */
  readonly trusted?: boolean
  /** Its `.git` no longer belongs to git, so what git reports about it is meaningless and is correct again afterwards. */
  readonly misleads?: boolean
  /** It concerns the worktree, so it is meaningless once the worktree is gone. */
  readonly ofWorktree?: boolean
  /** The outcomes of operations that do not simply succeed. */
  readonly expects?: Partial<Record<OperationName, string>>
}

/** Neither an integration nor its undo proceeds while git's configuration is not the one that a person trusts. */
const guarded = { request: 'requested', land: 'requested', late: 'ready' } as const
/** The person's own files are in the way of the merge. */
const inTheWay = { land: 'ready', late: 'ready' } as const
/** The database was deleted together with the untracked files. */
const moved = 'refused database_moved'
/** An agent has replaced its worktree with something else. */
const misled = { diff: 'refused git_misled' } as const

export const shapes: Readonly<Record<string, Shape>> = {
  'nothing special': { script: 'true' },

  // The contents of the person's main checkout.
  'edits of other files: staged, unstaged, untracked, deleted': {
    script: 'echo edit >> a.txt; echo staged > b.txt; git add b.txt; echo again >> b.txt; echo new > new.txt; rm c.txt',
  },
  'an edit of a file that the branch changes': { script: 'echo mine >> src/app.js', expects: inTheWay },
  'a staged edit of a file that the branch changes': {
    script: 'echo mine >> src/app.js; git add src/app.js',
    expects: inTheWay,
  },
  'an untracked file in the way': { script: 'echo mine > auth.txt', expects: inTheWay },
  'an ignored file in the way': {
    script: 'echo auth.txt >> .git/info/exclude; echo mine > auth.txt',
    expects: inTheWay,
  },
  'an untracked folder in the way of a file': {
    script: 'rm -rf auth.txt; mkdir auth.txt; echo mine > auth.txt/mine',
    expects: inTheWay,
  },
  'an untracked file in the way of a folder': { script: 'rm -rf lib; echo mine > lib', expects: inTheWay },
  'an untracked link in the way of a folder': {
    script: 'rm -rf lib; mkdir ../elsewhere; ln -s ../elsewhere lib',
    expects: inTheWay,
  },
  'changed modes': { script: 'chmod +x a.txt; chmod 600 b.txt' },
  'a changed mode of a file that the branch changes': { script: 'chmod +x src/app.js', expects: inTheWay },
  'a stash': { script: 'echo edit >> a.txt; git stash -q; echo other >> b.txt' },
  'a file that is only announced': { script: 'echo soon > soon.txt; git add -N soon.txt' },
  'files that git ignores by a flag': {
    script:
      'git update-index --skip-worktree a.txt; echo mine >> a.txt; git update-index --assume-unchanged b.txt; echo mine >> b.txt',
  },
  'an edit that git ignores by a flag, in a file that the branch changes': {
    script: 'git update-index --skip-worktree src/app.js; echo mine >> src/app.js',
    expects: inTheWay,
  },
  'hostile file names': {
    script: `printf x > "$(printf 'new\\nline')"; printf x > '"quoted"'; printf x > ./-dash; printf x > "$(printf 'in\\377valid')"; mkdir -- '--help'; printf x > './--help/ä b'; git add -- ./-dash`,
  },
  'links out of the tree': {
    script: 'ln -s /etc/passwd outside; ln -s ../../.. up; ln -s nowhere broken; git add outside',
  },
  'a huge file': { script: 'dd if=/dev/zero of=huge.bin bs=1M count=30 2>/dev/null' },

  // The positions of its HEAD and branches.
  'a detached HEAD': { script: 'git checkout -q --detach' },
  'another branch checked out': { script: 'git checkout -qb topic; echo topic >> a.txt; git commit -qam Topic' },
  'the target checked out in another worktree': {
    script: 'git checkout -qb topic; git worktree add -q ../release main; echo mine >> ../release/a.txt',
  },
  'the target checked out in another worktree, with an edit in the way': {
    script: 'git checkout -qb topic; git worktree add -q ../release main; echo mine >> ../release/src/app.js',
    expects: inTheWay,
  },
  'the target checked out twice': { script: 'git worktree add -q -f ../release main', expects: inTheWay },
  'an unborn branch': { script: 'git checkout -q --orphan fresh; git rm -rqf --cached .; git clean -fdqe .aiswarm' },
  'the target moved by a person': {
    script: 'echo later >> a.txt; git commit -qam Later',
    expects: { late: 'made anew' },
  },
  'the target moved by a person, in conflict': {
    script: "printf 'theirs\\n' > src/app.js; git commit -qam Theirs",
    expects: { request: 'conflicted', land: 'conflicted', late: 'conflicted', undo: 'refused conflicted' },
  },
  'a file deleted on the target that the branch renames': {
    script: 'git rm -q docs/guide.md 2>/dev/null || git rm -q docs/manual.md; git commit -qm Gone',
    expects: { request: 'conflicted', land: 'conflicted', late: 'conflicted', undo: 'refused conflicted' },
  },
  'the target moved by update-ref': {
    script: 'git update-ref refs/heads/main "$(git commit-tree -p main -m Agent "main^{tree}")"',
    expects: { late: 'made anew' },
  },
  'the target moved by update-ref to other files': {
    script:
      'b=$(echo agent | git hash-object -w --stdin); t=$( (git ls-tree main; printf "100644 blob %s\\tz.txt\\n" $b) | git mktree); git update-ref refs/heads/main "$(git commit-tree -p main -m Agent $t)"',
    expects: { late: 'made anew' },
  },
  'the target deleted': {
    script: 'git checkout -qb topic; git branch -qD main',
    expects: {
      create: 'refused not_found',
      request: 'conflicted',
      land: 'conflicted',
      late: 'conflicted',
      undo: 'refused invalid_state',
      diff: 'refused not_found',
    },
  },
  'the target packed': { script: 'git pack-refs --all; git repack -adq' },
  'a replaced commit': { script: 'git replace "$(git rev-parse main)" "$(git commit-tree -m Other "main^{tree}")"' },
  'a merge in progress': {
    script:
      'git checkout -qb side HEAD; echo side > a.txt; git commit -qam Side; git checkout -q main; echo main > a.txt; git commit -qam Main; git merge -q side >/dev/null || true',
    expects: { land: 'ready', late: 'made anew' },
  },
  'a rebase in progress': {
    script:
      'git checkout -qb side HEAD; echo side > a.txt; git commit -qam Side; git checkout -q main; echo main > a.txt; git commit -qam Main; git rebase side >/dev/null 2>&1 || true',
    expects: { land: 'ready', late: 'made anew' },
  },

  // The kind of the repository.
  'a sparse checkout': { script: 'git sparse-checkout set src', trusted: true },
  'a submodule': {
    script: 'git -c protocol.file.allow=always submodule --quiet add ../far sub; git commit -qm Sub',
    trusted: true,
    expects: { late: 'made anew' },
  },
  'a submodule with changes in it': {
    script:
      'git -c protocol.file.allow=always submodule --quiet add ../far sub; git commit -qm Sub; echo mine >> sub/f; echo new > sub/new',
    trusted: true,
    expects: { late: 'made anew' },
  },
  'line ends by attributes': {
    script: `printf '* text=auto eol=crlf\\n' > .gitattributes; git add .gitattributes; git commit -qm Attributes; printf 'x\\r\\ny\\r\\n' > a.txt`,
    expects: { late: 'made anew' },
  },
  'large files by pointer': {
    script: `git config filter.lfs.clean cat; git config filter.lfs.smudge cat; git config filter.lfs.required true; printf '*.bin filter=lfs -text\\n' > .gitattributes; printf 'version https://git-lfs\\n' > big.bin; git add .; git commit -qm LFS`,
    trusted: true,
    expects: { late: 'made anew' },
  },
  'large files whose program is missing': {
    script: `printf '*.bin filter=lfs -text\\n' > .gitattributes; printf 'version https://git-lfs\\n' > big.bin; git add .; git commit -qm LFS; touch -t 202601010000 big.bin; git config filter.lfs.process no-such-lfs; git config filter.lfs.required true`,
    trusted: true,
    expects: { land: 'ready', late: 'made anew', create: 'refused git_failed', undo: 'refused git_failed' },
  },
  'a bare setting': { script: 'git config core.bare true', trusted: true },
  'a shallow history': {
    script: 'git commit -q --allow-empty -m One; git rev-parse HEAD > .git/shallow',
    expects: {
      request: 'conflicted',
      land: 'conflicted',
      late: 'conflicted',
      undo: 'refused invalid_state',
      diff: 'refused git_failed',
    },
  },

  // The damage in it.
  'a stale lock of the index': { script: 'touch -t 202601010000 .git/index.lock', expects: inTheWay },
  'a stale lock of the target': { script: 'touch .git/refs/heads/main.lock', expects: inTheWay },
  'no index': { script: 'rm .git/index', expects: inTheWay },
  'a missing object of a file that nobody changes': {
    script:
      'o=$(git rev-parse main:a.txt); git unpack-objects -q < /dev/null 2>/dev/null || true; rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)',
    expects: {
      create: 'refused git_failed',
      undo: 'refused git_failed',
    },
  },
  'git clean -ffdx': {
    script: 'git clean -ffdxq',
    expects: { create: moved, request: moved, land: moved, late: moved, reject: moved, discard: moved, undo: moved },
  },

  // The work of an agent in its worktree.
  'more commits on the branch': {
    script: 'cd ../auth; echo more > more.txt; git add .; git commit -qm More',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'the branch rewritten': {
    script: 'cd ../auth; git commit -q --amend -m Amended',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'an empty commit on the branch': {
    script: 'cd ../auth; git commit -q --allow-empty -m Empty',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'an unrelated history on the branch': {
    script:
      'cd ../auth; git checkout -q --orphan other; git commit -qm Orphan; git branch -qf feature/auth; git checkout -q feature/auth; git branch -qD other',
    ofWorktree: true,
    expects: { request: 'conflicted', land: 'conflicted', late: 'conflicted', diff: 'refused git_failed' },
  },
  'the branch merged already': {
    script: 'git merge -q --no-edit feature/auth',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'the branch squashed into the target already': {
    script: 'git merge -q --squash feature/auth >/dev/null; git commit -qm Squashed',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'the branch deleted': {
    script: 'git update-ref -d refs/heads/feature/auth',
    ofWorktree: true,
    expects: { request: 'conflicted', land: 'conflicted', late: 'conflicted', diff: 'refused not_found' },
  },
  'uncommitted, untracked and ignored files': {
    script:
      'cd ../auth; echo edit >> a.txt; echo staged > s.txt; git add s.txt; echo again >> s.txt; echo new > "un tracked"; echo secret > .env; echo .env > .gitignore; rm b.txt; ln -s nowhere l; chmod +x c.txt',
    ofWorktree: true,
  },
  'a file renamed by case alone': {
    script: 'cd ../auth; git mv README.md readme.md; git commit -qm Case',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'hostile names on the branch': {
    script: `cd ../auth; printf x > "$(printf 'new\\nline')"; printf x > '"quoted"'; printf x > ./-dash; printf x > "$(printf 'in\\377valid')"; mkdir -- --help; printf x > ./--help/ä; git add .; git commit -qm Names`,
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'links out of the tree on the branch': {
    script: 'cd ../auth; ln -s /etc/passwd out; git rm -rq docs; ln -s ../far docs; git add .; git commit -qm Links',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'a huge file on the branch': {
    script: 'cd ../auth; dd if=/dev/zero of=huge.bin bs=1M count=30 2>/dev/null; git add .; git commit -qm Huge',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
  'its folder deleted by hand': { script: 'rm -rf ../auth', ofWorktree: true },
  'its .git deleted by hand': {
    script: 'rm ../auth/.git',
    ofWorktree: true,
    misleads: true,
    expects: { diff: 'refused git_misled' },
  },
  'its .git pointed at another repository': {
    script: 'echo "gitdir: $PWD/../far/.git" > ../auth/.git',
    ofWorktree: true,
    misleads: true,
    expects: misled,
  },
  'its .git pointed at the main checkout': {
    script: 'echo "gitdir: $PWD/.git" > ../auth/.git',
    ofWorktree: true,
    misleads: true,
    expects: misled,
  },
  'a repository of its own in its place': {
    script:
      'rm ../auth/.git; cd ../auth; git init -q; echo x > x; git add x; git -c user.name=A -c user.email=a@b commit -qm Own',
    ofWorktree: true,
    misleads: true,
    expects: misled,
  },
  'its folder replaced by a link to its new place': {
    script: 'mkdir ../real; mv ../auth ../real/auth; ln -s real/auth ../auth',
    ofWorktree: true,
    expects: {
      ...misled,
      land: 'integrated, archive_failed',
      late: 'integrated, archive_failed',
      restore: 'refused archive_failed',
    },
  },
  'a live process in it': {
    script: 'cd ../auth; AISWARM_ROOT="$(cd ../shop; pwd)" setsid sleep 1000 >/dev/null 2>&1 &',
    ofWorktree: true,
    expects: { land: 'integrated, folder_in_use', late: 'integrated, folder_in_use', restore: 'refused folder_in_use' },
  },
  'a rebase in progress in it': {
    script:
      'echo later >> a.txt; git commit -qam Later; cd ../auth; echo x >> a.txt; git commit -qam Mine; git rebase main >/dev/null 2>&1 || true',
    ofWorktree: true,
    expects: { request: 'conflicted', land: 'conflicted', late: 'conflicted' },
  },
  'another branch checked out in it': {
    script: 'cd ../auth; git checkout -qb elsewhere; echo x > x.txt; git add x.txt; git commit -qm Elsewhere',
    ofWorktree: true,
  },
  'a repository inside it': {
    script:
      'cd ../auth; mkdir inner; cd inner; git init -q; echo x > x; git add x; git -c user.name=A -c user.email=a@b commit -qm Inner',
    ofWorktree: true,
  },
  'special files in it': {
    script: 'cd ../auth; mkfifo pipe; mkdir closed; echo x > closed/x; mkdir empty',
    ofWorktree: true,
  },

  // The things that an agent plants for git to obey.
  'planted hooks': {
    script:
      'for h in pre-commit post-commit post-merge pre-merge-commit reference-transaction post-checkout post-index-change update; do printf "#!/bin/sh\\necho $h >> \\"$PWD/../ran\\"\\nexit 1\\n" > .git/hooks/$h; chmod +x .git/hooks/$h; done',
    expects: guarded,
  },
  'a planted merge driver': {
    script: 'git config merge.evil.driver "touch $PWD/../ran; false"; printf "* merge=evil\\n" > .git/info/attributes',
    expects: guarded,
  },
  'a planted filter': {
    script:
      'git config filter.evil.clean "touch $PWD/../ran; cat"; git config filter.evil.smudge "touch $PWD/../ran; cat"; printf "*.js filter=evil\\n" > .git/info/attributes',
    expects: { ...guarded, create: 'refused configuration_changed', undo: 'refused configuration_changed' },
  },
  'planted programs': {
    script:
      'for k in core.fsmonitor core.pager core.editor core.sshCommand diff.external gpg.program credential.helper core.askPass sequence.editor; do git config $k "touch $PWD/../ran"; done; git config core.hooksPath "$PWD/../hooks"; git config commit.gpgSign true',
    expects: guarded,
  },
  'attributes of the branch that name a driver': {
    script: 'cd ../auth; printf "* merge=evil diff=evil\\n" > .gitattributes; git add .; git commit -qm Attributes',
    ofWorktree: true,
    expects: { late: 'made anew' },
  },
}
