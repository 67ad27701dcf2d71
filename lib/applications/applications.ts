/** Applications to become a partner, and their limits. */

export const APPLICATION_STATUSES = ['invited', 'applied', 'approved', 'rejected'] as const
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number]
export type ApplicationOutcome = Extract<ApplicationStatus, 'approved' | 'rejected'>

/** A merchant's question, as the page asked it, and the answer. */
export type Answer = { question: string; answer: string }

export const MAX_QUESTIONS = 5
/** People per invitation request. */
export const MAX_INVITED = 100
/** Of an answer, of an intro and of a reason, in characters. */
export const MAX_TEXT_LENGTH = 2_000
/** Of the terms that partners accept. */
export const MAX_AGREEMENT_LENGTH = 50_000
/** More versions than a program will ever have. */
export const MAX_AGREEMENT_VERSION = 1_000_000_000

/** A program's public page. */
export type JoinPage = {
  isOpen: boolean
  intro: string
  questions: string[]
  /** Whether applications are approved automatically, and into which group. */
  approves: boolean
  groupId: string | null
}

/** The terms that partners of a program accept, in their newest version. */
export type Agreement = { version: number; content: string }
