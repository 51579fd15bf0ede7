/** A locale that names another character set, or the one of a time before there were any. A terminal without a locale is given what the rest of the console gives it. */
export const isPlain = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  return locale !== '' && !/utf-?8/i.test(locale)
}
