export const passes =
  /\b(?:tests?|specs?|suites?|checks?|verification|ci)\b[^.!?\n]{0,40}?\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|ok)\b|\b(?:pass(?:es|ed|ing)?|green)\b[^.!?\n]{0,20}\b(?:tests?|specs?|suites?|checks?)\b|\b\d+\s*(?:\/\s*\d+\s*)?(?:tests?\s+)?pass(?:ed|ing)?\b/i
export const notPasses = /\b(?:not|n't|no|fail(?:s|ed|ing|ures?)?|without|until|should|must|if|when|todo)\b/i
/** Words of a criterion about a run, such as `node --test test/login.test.js passes`. */
export const runs = /\b(?:pass(?:es|ed)?|succeed(?:s|ed)?|is green|are green|exits? (?:with )?(?:code )?0)\b/i
export const builds =
  /\b(?:build|compil\w*|lint\w*|type[- ]?check\w*|tsc|eslint)\b[^.!?\n]{0,40}?\b(?:pass(?:es|ed|ing)?|clean|green|succeed(?:s|ed)?|successful(?:ly)?|without errors?)\b/i

export const changedWords =
  /\b(?:add(?:s|ed)?|chang(?:es|ed)|creat(?:es|ed)|updat(?:es|ed)|modif(?:ies|ied)|wr(?:ites|ote)|implement(?:s|ed)|fix(?:es|ed)|remov(?:es|ed)|delet(?:es|ed)|renam(?:es|ed)|refactor(?:s|ed)|extend(?:s|ed)|mov(?:es|ed))\b/i

export const short = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text)

/** Words that look like a path: a slash or an extension of letters, and not a web address. */
export const pathsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .replace(/\w+:\/\/\S+/g, ' ')
      .split(/[\s"'`“”‘’()[\]{}<>,;]+/)
      .map((word) =>
        word
          .replace(/^\.\//, '')
          .replace(/[:.!?]+$/, '')
          .replace(/:\d+(:\d+)?$/, ''),
      )
      .filter(
        (word) =>
          /^[\w@.+-][\w@.+/-]*\.[a-z][a-z0-9]{0,5}$/i.test(word) &&
          !/^\d|^(e\.g|i\.e|node\.js|vue\.js|next\.js|express\.js|three\.js|d3\.js|asp\.net)$/i.test(word),
      ),
  ),
]

/** A path may be named by its last part only. */
export const touches = (paths: readonly string[], named: string): boolean => {
  const path = named.replace(/^\.\//, '').replace(/\/$/, '')
  return paths.some(
    (one) => one === path || one.endsWith(`/${path}`) || one.startsWith(`${path}/`) || path.endsWith(`/${one}`),
  )
}
