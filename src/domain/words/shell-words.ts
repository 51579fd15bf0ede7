// Words as a POSIX shell parses them.

// zsh expands `=ls` to the path of ls.
const plain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/

/** One word of a command line, quoted if a shell would interpret it. */
export const shellWord = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

/** True if a quote is not closed, so that the words are ambiguous. */
export const isUnclosed = (text: string): boolean =>
  /['"\\]/.test(text.replace(/'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g, ''))

/** The words of a text; quotes and backslashes keep spaces inside a word. */
export const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:'[^']*'?|"(?:\\[^]|[^"\\])*"?|\\[^]|[^\s'"\\]|\\$)+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'?|"((?:\\[^]|[^"\\])*)"?|\\([^]|$)/g,
      (_, single: string | undefined, double: string | undefined, escaped: string | undefined) =>
        single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : (escaped ?? ''),
    ),
  )
