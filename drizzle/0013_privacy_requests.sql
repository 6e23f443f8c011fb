CREATE TABLE "privacy_requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"email" text,
	"person" text,
	"details" text,
	"hash" text,
	"asked_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"reason" text,
	CONSTRAINT "privacy_requests_hash_unique" UNIQUE("hash"),
	CONSTRAINT "privacy_requests_kind" CHECK ("privacy_requests"."kind" in ('show', 'correct', 'remove')),
	CONSTRAINT "privacy_requests_state" CHECK ("privacy_requests"."state" in ('unconfirmed', 'open', 'done', 'refused')),
	CONSTRAINT "privacy_requests_email" CHECK ("privacy_requests"."email" = lower("privacy_requests"."email")),
	CONSTRAINT "privacy_requests_closed" CHECK (("privacy_requests"."closed_at" is not null) = ("privacy_requests"."state" in ('done', 'refused')) and ("privacy_requests"."closed_at" is null or num_nonnulls("privacy_requests"."email", "privacy_requests"."person", "privacy_requests"."details", "privacy_requests"."hash") = 0))
);
--> statement-breakpoint
CREATE INDEX "privacy_requests_state" ON "privacy_requests" USING btree ("state","asked_at");