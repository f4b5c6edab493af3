import { DomainError } from '@gatepost/problem-details';

/** A form that was not sent from the page it belongs to, or whose page has grown old. */
export class FormRefused extends DomainError {
  constructor() {
    super('malformed-request', 'This form does not belong to your session any more.');
  }
}

/** The interaction is over, or it never was this browser's. */
export class InteractionGone extends DomainError {
  constructor(options: { cause?: unknown } = {}) {
    super('not-found', 'This sign-in is over or has expired.', options);
  }
}

/** Accounts are created by operators here. */
export class RegistrationClosed extends DomainError {
  constructor() {
    super('not-found', 'Accounts are created by whoever runs this service.');
  }
}
