"""What a deployment should look like, held against what Google's APIs say of it. Pure: answers in, findings out."""
