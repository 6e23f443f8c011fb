CREATE TABLE "pictures" (
	"record_id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"bytes" "bytea",
	"version" integer,
	"etag" text,
	"last_modified" text,
	"tried_at" timestamp with time zone NOT NULL,
	"error" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone,
	CONSTRAINT "pictures_kind" CHECK ("pictures"."kind" in ('company', 'person')),
	CONSTRAINT "pictures_bytes" CHECK (("pictures"."bytes" is null) = ("pictures"."version" is null)),
	CONSTRAINT "pictures_size" CHECK (octet_length("pictures"."bytes") <= 131072),
	CONSTRAINT "pictures_error" CHECK (("pictures"."error" is null) = ("pictures"."next_at" is null))
);
