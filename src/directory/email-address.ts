/** An e-mail address as the directory has it: the host in lower case, and in its ASCII form where it has other letters. */
export const withAsciiHost = (email: string): string =>
  email.replace(/(?<=@)[^@]+$/, (host) => {
    const url = `http://${host}`
    const isHost = /^[\p{L}\p{M}\p{N}.。．｡_-]+$/u.test(host) && URL.canParse(url)
    return isHost ? new URL(url).hostname : host.toLowerCase()
  })
