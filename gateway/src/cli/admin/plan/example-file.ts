/** The example of `tollgate plan --example`. A test applies it. */
export const exampleFile = `# What spaces, members, keys, grants, aliases, budgets and projects should be.
# Compare it with "tollgate plan -f FILE", and carry it out with "tollgate apply -f FILE".
#
# A field that is left out stays as it is, and so does a section. Nothing is removed unless its
# entry says "state: absent". "none" removes a limit.

spaces:
  acme:
    overage: true                 # may spend more units than it holds
    keep_responses: true          # keeps responses for previous_response_id
    unpriced: false               # true sends calls that ask for something without a price
    hard_limits: false            # true accepts a call only if the most it can cost fits
    blocked: false                # true rejects every charged call
    requests_per_minute: 600      # of all its keys together; none: no limit
    tokens_per_minute: none

    members:
      kim@example.com: { role: admin, nickname: Kim }
      # Rules of a member hold for all their keys together, also for those they will create.
      lee@example.com: { role: member, month_limit: 50, models: [sim-chat], expires: 2999-12-31 }
      former@example.com: { state: absent }

    keys:
      # Secrets are never in this file. "apply" prints those of new keys once, or writes them to
      # the file of --secrets.
      ci:
        kind: shared
        days: 90                  # how long a new key is valid; "expires" sets the date of any key
        month_limit: 250
        requests_per_minute: 60
        # Pods and CI jobs that call as this key, if the operator trusts their issuer:
        # workloads:
        #   - { issuer: cluster, subject: "system:serviceaccount:team-a:ci" }
      lee-laptop: { kind: personal, owner: lee@example.com, expires: 2999-12-31 }
      reports: { kind: management }
      old-ci: { state: absent }

    grants:
      # The name of a grant is its ref. It is kept in the note, so that a second apply does not
      # grant again. Units that were given cannot be taken back.
      2026-q4: { amount: 1000, kind: paid, note: Invoice 17 }
      welcome: { amount: 5, kind: promo, expires: 2999-12-31 }

    aliases:
      # Other names for models, which callers send as "model".
      fast: { model: sim-chat }

    budgets:
      # What a part of the calls may cost in a day, week (from Monday), month (KST) or lifetime.
      # "hard" refuses calls that do not fit; the others only warn. What a budget counts cannot
      # change: use another name.
      search: { amount: 500, window: month, tags: team=search }
      each-user: { amount: 5, window: day, per: end_user, hard: true }

    project_ids:
      # Which ids its administrators may use for projects. An id decides whose logs are read, so
      # only operators give them.
      shop: {}
      shop-*: {}

    projects:
      shop: { name: The shop }
`;
